/** What a client is charged, seen from outside: by the balance, by the answer, and by the requests that arrived. */
import { chatCharge, type ChatChargeBody, usageList, usageRecord, type UsageRecordBody } from '@svc/contract'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'

/** Nanocredits for a token of `svc-gpt`. Source: the rate card, 12 and 60 credits per million. */
export const SVC_GPT = { input: 12_000n, output: 60_000n } as const

/** Charge of `svc-gpt` by its card, in nanocredits. */
export function cardOf(promptTokens: number | null | undefined, completionTokens: number | null | undefined): bigint {
  return BigInt(promptTokens ?? -1) * SVC_GPT.input + BigInt(completionTokens ?? -1) * SVC_GPT.output
}

/** Runs some work to its end and says by how many nanocredits the balance fell once no hold was open. */
export async function chargeOf<Result>(
  gateway: TestGateway,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly charge: bigint }> {
  await gateway.settled()
  const before = await gateway.balance()
  const result = await work()
  await gateway.settled()
  const after = await gateway.balance()
  return { result, charge: before.posted - after.posted }
}

/** The annotation of an answer, whatever type its client gives it. */
export function svcOf(answer: unknown): ChatChargeBody {
  return chatCharge.parse(Reflect.get(Object(answer), 'svc'))
}

/** Credits as a client parsed them, in nanocredits. Floats of this size keep nine decimals. */
export function nanocreditsIn(answer: unknown): bigint {
  return BigInt(Math.round(svcOf(answer).credits_charged * 1e9))
}

/** One line of the access log. */
export interface Arrival {
  /** Null where the request matched none. */
  readonly route: string | null
  readonly status: number
  /** What the client said about its attempt; null for a client that says nothing. */
  readonly retry: string | null
}

/** Every request that the gateway has answered so far, from its own log. */
export function arrivals(gateway: TestGateway): Arrival[] {
  return gateway.logged
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === 'request' && line.route !== undefined)
}

/** The statuses of the chat requests so far. */
export function chatStatuses(gateway: TestGateway): number[] {
  return arrivals(gateway)
    .filter(({ route }) => route?.endsWith('/chat/completions') === true)
    .map(({ status }) => status)
}

/** What a promise rejects with; fails the test when it does not. */
export async function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  const outcome = await Promise.resolve(work).then(
    () => null,
    (error: unknown) => ({ error }),
  )
  if (outcome === null) throw new Error('this should have failed')
  return outcome.error
}

/** The record of a finished request. */
export async function recordOf(gateway: TestGateway, requestId: string | null | undefined): Promise<UsageRecordBody> {
  const answer = await gateway.fetch(`/v1/usage/${requestId}`)
  return usageRecord.parse(await answer.json())
}

/** The record of the newest request. */
export async function lastRecord(gateway: TestGateway): Promise<UsageRecordBody> {
  const answer = await gateway.fetch('/v1/usage?limit=1')
  const [record] = usageList.parse(await answer.json()).data
  if (record === undefined) throw new Error('no request has ended yet')
  return record
}
