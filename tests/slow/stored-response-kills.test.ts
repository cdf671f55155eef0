/** Responses that a team stores, of gateways as operators run them: real processes that are killed around the storing. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTeamSettingsStore } from '../../packages/server/src/access/teams/team-settings-store.ts'
import {
  type GatewayProcesses,
  openGatewayProcesses,
  type TestProcess,
} from '../../packages/server/testing/gateway-process.ts'
import { createRandom } from '../../packages/server/testing/random.ts'
import { sendCompletion, sendStream, startStubUpstream } from '../../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../../packages/server/testing/test-database.ts'
import { cardOf } from '../charge-of.ts'
import { createGate } from '../open-stream.ts'

const KILLS = 5
/** Requests of one kill, each at another point of its life. */
const AT_ONCE = 24
const SPREAD_MS = 60
const WORDS = Array.from({ length: 400 }, (_, at) => ` word${at}`)
const TEXT = WORDS.join('')
const USAGE = { prompt_tokens: 10, completion_tokens: 800 }
const CHARGE = cardOf(USAGE.prompt_tokens, USAGE.completion_tokens)
/** Short, so that the next process soon settles what was left. */
const file = { limits: { lease_ms: 2_000, journal_ms: 200 } }

interface Answer {
  readonly status: number
  readonly text: string
}

/** Asks for one response under a name; every other one as a stream. Null where the connection broke. */
async function ask(gateway: TestProcess, name: string, at: number): Promise<Answer | null> {
  try {
    const response = await gateway.fetch('/v1/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': name },
      body: JSON.stringify({ model: 'svc-gpt', input: name, store: true, stream: at % 2 === 1 }),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return null
  }
}

/** The same again as a client asks it, until what was left of it is decided. */
async function askAgain(gateway: TestProcess, name: string, at: number): Promise<Answer> {
  let answer: Answer | null = null
  const isOpen = (): boolean => answer === null || /idempotency_key_in_use|server_is_overloaded/.test(answer.text)
  await expect
    .poll(async () => ((answer = await ask(gateway, name, at)), isOpen()), { timeout: 30_000, interval: 100 })
    .toBe(false)
  return answer as unknown as Answer
}

/** Ids of the requests that were charged, with what each was charged. */
async function charges(all: GatewayProcesses): Promise<ReadonlyMap<string, bigint>> {
  const rows = await all.database.read
    .selectFrom('transfer')
    .select(['hold_id', 'charge'])
    .where('kind', '=', 'capture')
    .execute()
  expect(new Set(rows.map(({ hold_id: id }) => id)).size).toBe(rows.length)
  return new Map(rows.map(({ hold_id: id, charge }) => [String(id), charge]))
}

/** What is stored of a request: all of its response or nothing. */
async function storedOf(gateway: TestProcess, requestId: string): Promise<'whole' | 'none'> {
  const response = await gateway.fetch(`/v1/responses/resp_${requestId.replaceAll('-', '')}`)
  if (response.status === 404) return 'none'
  const body = (await response.json()) as Record<string, unknown>
  expect([response.status, body]).toEqual([200, expect.objectContaining({ status: 'completed', store: true })])
  expect(JSON.stringify(body['output'])).toContain(TEXT)
  expect(body['usage']).toMatchObject({ input_tokens: 10, output_tokens: 800 })
  return 'whole'
}

describeEachEngine('a response whose process is killed while it is stored', (engine) => {
  const random = createRandom()

  test(`is charged once, and stored whole or not at all (seed ${random.seed})`, async () => {
    const upstream = await startStubUpstream()
    let gate = createGate()
    upstream.onChat = async (call, response) => {
      await gate.opened
      await wait(random.below(SPREAD_MS))
      if (call.wantsStream) sendStream(response, { words: WORDS, usage: USAGE })
      else sendCompletion(response, { text: TEXT, usage: USAGE })
    }
    const all = await openGatewayProcesses({ engine, upstreamUrl: upstream.url, credits: '10000', file })
    await createTeamSettingsStore(all.database).setResponseStorage(all.teamId, 1)
    let running = await all.start()
    const seen = { answered: 0, gone: 0, whole: 0, none: 0 }
    for (let kill = 0; kill < KILLS; kill++) {
      const names = Array.from({ length: AT_ONCE }, (_, at) => `response-${kill}-${at}`)
      gate = createGate()
      const before = upstream.chats.length
      const asked = names.map((name, at) => ask(running, name, at))
      await expect.poll(() => upstream.chats.length, { interval: 2 }).toBe(before + AT_ONCE)
      gate.open()
      await wait(random.below(2 * SPREAD_MS))
      running.signal('SIGKILL')
      await running.exited
      await Promise.all(asked)
      running = await all.start()
      const again = await Promise.all(names.map((name, at) => askAgain(running, name, at)))
      for (const { status, text } of again) {
        // One that was charged and whose answer went with its process is never made again.
        const isGone = status === 409 && text.includes('idempotency_answer_gone')
        expect([status, isGone, text]).toEqual([isGone ? 409 : 200, isGone, text])
        if (isGone) seen.gone++
        else seen.answered++
      }
      await all.settled()
      const after = await charges(all)
      expect(after.size).toBe((kill + 1) * AT_ONCE)
      for (const requestId of after.keys()) seen[await storedOf(running, requestId)]++
    }
    const after = await charges(all)
    expect(await all.balance()).toEqual({
      posted: 10_000_000_000_000n - [...after.values()].reduce((sum, charge) => sum + charge, 0n),
      held: 0n,
    })
    // A stream that a kill cut is charged what it had delivered; all others the whole.
    expect([...after.values()].every((charge) => charge > 0n)).toBe(true)
    expect([...after.values()].filter((charge) => charge === CHARGE).length).toBeGreaterThan(AT_ONCE)
    expect(Math.min(seen.answered, seen.whole)).toBeGreaterThan(0)
    await all.stop()
    await upstream.close()
  })
})
