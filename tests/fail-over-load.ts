/** Clients that pay while a database fails over, an upstream that keeps its invoice, and the books against both. */
import { setTimeout as wait } from 'node:timers/promises'
import { parseCredits } from '@svc/contract'
import type { OpenDatabase } from '../packages/server/src/platform/db/open-database.ts'
import { chargeForCost, parseUsd, ZERO_USD } from '../packages/server/src/pricing/usd.ts'
import type { ChatClient } from '../packages/server/testing/chat-client.ts'
import { createRandom } from '../packages/server/testing/random.ts'
import {
  beginStream,
  chunkText,
  sendEvent,
  startStubUpstream,
  type StubUpstream,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'

const USAGE = { prompt_tokens: 10, completion_tokens: 5 }

/** What the upstream bills for a question, in dollars: another amount for each. */
const costOf = (tag: number): string => `0.${String(20_000 + tag)}`

/** The invoice and 20 % on it, in nanocredits. */
const dueOf = (tag: number): bigint => chargeForCost(parseUsd(costOf(tag)) ?? ZERO_USD)

/** One answer that the upstream has made. */
interface InvoiceLine {
  readonly generationId: string
  readonly tag: number
}

export interface InvoiceUpstream extends StubUpstream {
  readonly lines: readonly InvoiceLine[]
}

/** Starts an upstream that answers every question, whole or as a stream, and bills it. */
export async function startInvoiceUpstream(): Promise<InvoiceUpstream> {
  const lines: InvoiceLine[] = []
  const stub = await startStubUpstream()
  stub.onChat = ({ json, text }, response) => {
    const tag = Number(/question (\d+)/.exec(text)?.[1])
    const id = `gen-${lines.length + 1}`
    lines.push({ generationId: id, tag })
    if (json?.['stream'] !== true) {
      const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Yes.' } }]
      const body = JSON.stringify({ id, object: 'chat.completion', created: 1, model: 'm', choices, usage: USAGE })
      const billed = body.replace('"usage":{', `"usage":{"cost":${costOf(tag)},`)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(billed)
    }
    beginStream(response)
    sendEvent(response, chunkText({ role: 'assistant', content: 'Yes.' }, null, { id }))
    sendEvent(response, chunkText({}, 'stop', { id }))
    sendEvent(response, usageText(USAGE, costOf(tag)))
    sendEvent(response, '[DONE]')
    response.end()
  }
  return Object.assign(stub, { lines })
}

/** An answer that a client has read to its end. */
export interface Told {
  readonly tag: number
  readonly requestId: string
  readonly charge: bigint
  readonly isPending: boolean
  /** Its Idempotency-Key; null without one. */
  readonly name: string | null
  /** Which of the gateways reported it. */
  readonly by: ChatClient
  /** When it was asked and when its end was read, by `performance.now()`. */
  readonly askedAt: number
  readonly at: number
}

export interface FailOverLoad {
  readonly told: readonly Told[]
  /** Asks what was answered before once more, under the same Idempotency-Key. @returns how that ended. */
  repeat(told: Told, gateway: ChatClient): Promise<number>
  /** Ends once every question is answered. */
  stop(): Promise<void>
}

const PAUSE_MS = 20

function chargeIn(text: string): bigint {
  return parseCredits(/"svc":\{[^}]*"credits_charged":([\d.]+)/.exec(text)?.[1] ?? '') ?? 0n
}

/** Starts clients who ask one gateway or another; where one fails, a question with a name is asked again. */
export function startFailOverLoad(gateways: readonly ChatClient[], clients: number): FailOverLoad {
  const random = createRandom()
  const told = new Map<string, Told>()
  let nextTag = 1
  let isStopping = false

  async function ask(gateway: ChatClient, { tag, name }: Pick<Told, 'tag' | 'name'>): Promise<number> {
    const body = { model: 'svc-gpt', stream: tag % 2 === 0, messages: [{ role: 'user', content: `question ${tag}.` }] }
    const askedAt = performance.now()
    const response = await gateway.chat(body, name === null ? {} : { headers: { 'idempotency-key': name } })
    const text = await response.text()
    const requestId = response.headers.get('x-request-id') ?? ''
    const isWhole = response.status === 200 && text.includes('"credits_charged"')
    if (isWhole && !told.has(requestId)) {
      const isPending = text.includes('"state":"pending"')
      const at = performance.now()
      told.set(requestId, { tag, requestId, charge: chargeIn(text), isPending, name, by: gateway, askedAt, at })
    }
    return response.status
  }

  async function client(): Promise<void> {
    while (!isStopping) {
      const tag = nextTag++
      const name = tag % 3 === 0 ? `name-${tag}` : null
      for (;;) {
        const status = await ask(random.pick(gateways), { tag, name }).catch(() => 0)
        await wait(PAUSE_MS)
        if (status === 200 || name === null || isStopping) break
      }
    }
  }

  const running = Promise.all(Array.from({ length: clients }, client))
  return {
    get told() {
      return [...told.values()]
    },
    repeat: (question, gateway) => ask(gateway, question),
    stop: async () => {
      isStopping = true
      await running
    },
  }
}

/** Names of what is no fault but not the plain case either. */
export const REPEATED = 'written off: repeated under its Idempotency-Key, and charged there'
export const UNWRITTEN = 'told by a process that died before it wrote it down'
export const WRITTEN_OFF = 'failed, and its cost written off'
export const UNBOOKED = 'billed by the upstream, and in no book'

/** What the books have against what was reported and billed. */
export interface Verdict {
  readonly faults: readonly string[]
  /** By name, how often what is no fault but not the plain case was seen. */
  readonly exceptions: Readonly<Record<string, number>>
}

export interface Evidence {
  readonly told: readonly Told[]
  readonly lines: readonly InvoiceLine[]
  readonly database: OpenDatabase
  /** Whether the process that reported it died before it had written it down. */
  readonly isUnwritten?: (told: Told) => boolean
}

/** Compares what clients were told, the ledger, and the invoice and 20 % on it. */
export async function judgeFailOver({ told, lines, database, isUnwritten = () => false }: Evidence): Promise<Verdict> {
  const rows = await database.read
    .selectFrom('usage_record')
    .select(['usage_id', 'charge', 'write_off', 'status', 'error_code', 'generation_id'])
    .execute()
  const byId = new Map(rows.map((row) => [row.usage_id, row]))
  const byGeneration = new Map(rows.map((row) => [row.generation_id, row]))
  const faults: string[] = []
  const exceptions: Record<string, number> = {}
  const note = (name: string): void => void (exceptions[name] = (exceptions[name] ?? 0) + 1)
  const chargedNames = new Map<string, number>()
  for (const each of told) {
    const { requestId, tag, charge, name } = each
    const row = byId.get(requestId)
    const due = dueOf(tag)
    if (charge !== due) faults.push(`${requestId} saw the charge ${charge}; ${due} is due`)
    if (row !== undefined && row.charge > 0n && name !== null) {
      chargedNames.set(name, (chargedNames.get(name) ?? 0) + 1)
    }
    if (row?.charge === due && row.write_off === 0n) continue
    const isRepeated = told.some((other) => other.name === name && byId.get(other.requestId)?.charge === due)
    if (row !== undefined && name !== null && isRepeated && row.charge + row.write_off === due) {
      note(REPEATED)
    } else if (isUnwritten(each)) note(UNWRITTEN)
    else faults.push(`${requestId} (question ${tag}) saw the charge ${charge} and has ${describe(row)}`)
  }
  for (const [name, count] of chargedNames) if (count > 1) faults.push(`${name} was charged ${count} times`)
  const wasTold = new Set(told.map(({ requestId }) => requestId))
  for (const { generationId, tag } of lines) {
    const row = byGeneration.get(generationId)
    if (row !== undefined && row.charge + row.write_off === dueOf(tag)) continue
    if (row !== undefined && wasTold.has(row.usage_id)) continue
    // Its cost at par is what is lost where no client saw a charge.
    if (row !== undefined && row.charge === 0n && row.write_off > 0n) note(WRITTEN_OFF)
    else note(UNBOOKED)
  }
  return { faults, exceptions }
}

function describe(
  row: { readonly charge: bigint; readonly write_off: bigint; readonly error_code: string | null } | undefined,
) {
  return row === undefined ? 'no record' : `${row.charge} and ${row.write_off} written off (${row.error_code})`
}
