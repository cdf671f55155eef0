/**
 * What is charged, by what the upstream does and what the caller does. `docs/money.md` shows the same two tables; each
 * cell of them is a test here.
 */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  type StubCall,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cardOf, chargeOf } from './charge-of.ts'
import { eventsIn, QUESTION } from './events-of.ts'
import { createGate, type Gate, hasText, openStream } from './open-stream.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '10000000' }))
stub.onOther = (call, response) => {
  const isAsked = call.path.endsWith('/generation?id=gen-late')
  response.writeHead(isAsked ? 200 : 404, { 'content-type': 'application/json' })
  response.end(isAsked ? `{"data":{"total_cost":${COST}}}` : '{}')
}

/** As many as the four megabytes for a slow reader have at least. */
const USAGE = { prompt_tokens: 10, completion_tokens: 40_000 }
/** In USD, and as nanocredits with the margin and without: more than the card asks for the longest answer here. */
const COST = '0.25'
const CHARGED = 300_000_000_000n
const AT_PAR = 250_000_000_000n

type Outcome =
  | 'its usage'
  | 'what was delivered, estimated'
  | 'its cost'
  | 'nothing'
  | 'nothing; its cost is a write-off'
  | '–'

interface Row {
  /** As in the document. */
  readonly upstream: string
  /** Headers of its answer. */
  readonly headers?: Record<string, string>
  /** Whether it sends words at all before its end. */
  readonly isSilent?: true
  /** How a stream ends after its words. */
  readonly end: (response: ServerResponse) => void
  readonly whole: (response: ServerResponse) => void
  /** The columns, in their order. */
  readonly streamed: readonly [
    waits: Outcome,
    readsSlowly: Outcome,
    leavesBefore: Outcome,
    leavesInTheMiddle: Outcome,
    keyRevoked: Outcome,
  ]
  readonly answeredWhole: readonly [waits: Outcome, leaves: Outcome, keyRevoked: Outcome]
}

function finish(response: ServerResponse, more: readonly string[]): void {
  for (const data of [chunkText({}, 'stop'), ...more, '[DONE]']) sendEvent(response, data)
  response.end()
}

/** Breaks the connection once what was sent has left. */
function breakOff(response: ServerResponse): void {
  response.write(': sent\n\n', () => setTimeout(() => response.destroy(), 30))
}

const json = (response: ServerResponse, status: number, body: string): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(body)

const FAILURE = '{"error":{"code":502,"message":"Provider disconnected"}}'
const USAGE_WITH_COST = `"usage":{"prompt_tokens":10,"completion_tokens":5,"cost":${COST}}`
const FAILURE_WITH_COST = `{"error":{"code":502,"message":"Provider disconnected"},${USAGE_WITH_COST}}`
const late = { 'x-generation-id': 'gen-late' }
const estimate = 'what was delivered, estimated'
const lost = 'nothing; its cost is a write-off'

const TABLE: readonly Row[] = [
  {
    upstream: 'answers and reports its usage',
    end: (response) => finish(response, [usageText(USAGE)]),
    whole: (response) => sendCompletion(response, { usage: USAGE }),
    streamed: ['its usage', 'its usage', 'nothing', estimate, estimate],
    answeredWhole: ['its usage', 'its usage', 'its usage'],
  },
  {
    upstream: 'answers and reports no usage',
    end: (response) => finish(response, []),
    whole: (response) => sendCompletion(response, { usage: null, text: 'Hello you' }),
    streamed: [estimate, estimate, 'nothing', estimate, estimate],
    answeredWhole: [estimate, estimate, estimate],
  },
  {
    upstream: 'answers, and reports its cost later',
    headers: late,
    end: (response) => finish(response, []),
    whole: (response) => {
      response.setHeader('x-generation-id', 'gen-late')
      sendCompletion(response, { usage: null })
    },
    streamed: ['its cost', 'its cost', 'nothing', 'its cost', 'its cost'],
    answeredWhole: ['its cost', 'its cost', 'its cost'],
  },
  {
    upstream: 'breaks off without a verdict',
    end: breakOff,
    whole: (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"choices":[{"message":{"content":"Hel', () => response.destroy())
    },
    streamed: [estimate, estimate, 'nothing', estimate, estimate],
    answeredWhole: ['nothing', 'nothing', 'nothing'],
  },
  {
    upstream: 'says that it failed',
    end: (response) => response.end(`data: ${FAILURE}\n\n`),
    whole: (response) => json(response, 500, FAILURE),
    streamed: ['nothing', 'nothing', 'nothing', estimate, estimate],
    answeredWhole: ['nothing', 'nothing', 'nothing'],
  },
  {
    upstream: 'says that it failed and what it bills',
    end: (response) => response.end(`data: ${FAILURE_WITH_COST}\n\n`),
    whole: (response) => json(response, 200, FAILURE_WITH_COST),
    streamed: ['its cost', 'its cost', 'nothing', estimate, estimate],
    answeredWhole: [lost, lost, lost],
  },
  {
    upstream: 'answers without content',
    isSilent: true,
    end: (response) => finish(response, [usageText(USAGE)]),
    whole: (response) => sendCompletion(response, { text: '', usage: USAGE }),
    streamed: ['nothing', '–', 'nothing', '–', '–'],
    answeredWhole: ['nothing', 'nothing', 'nothing'],
  },
  {
    upstream: 'answers without content and bills it',
    isSilent: true,
    end: (response) => finish(response, [usageText(USAGE, COST)]),
    whole: (response) => sendCompletion(response, { text: '', usage: USAGE, cost: COST }),
    streamed: [lost, '–', 'nothing', '–', '–'],
    answeredWhole: [lost, lost, lost],
  },
]

/** The newest record, from the books: a key that was revoked cannot ask for it. */
async function newest() {
  return gateway.gateway.database.read
    .selectFrom('usage_record')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('usage_id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
}

async function writtenOff(): Promise<bigint> {
  const rows = await gateway.gateway.database.read.selectFrom('transfer').select('write_off').execute()
  return rows.reduce((sum, row) => sum + row.write_off, 0n)
}

interface Books {
  readonly charge: bigint
  readonly lost: bigint
  /** Tokens of the answer where they are our own count; null for the upstream's. */
  readonly counted: number | null
}

/** Runs one request to the end of its hold. @returns what the books say, and what they must say by the table. */
async function booked(outcome: Outcome, work: () => Promise<number>): Promise<{ found: Books; wanted: Books }> {
  const before = await writtenOff()
  const { result: bytes, charge } = await chargeOf(gateway, work)
  const { estimated, prompt_tokens, completion_tokens } = await newest()
  const isEstimate = outcome === estimate
  const found = {
    ...{ charge, lost: (await writtenOff()) - before },
    counted: isEstimate && Boolean(estimated) ? completion_tokens : null,
  }
  const tokens = Math.ceil(bytes / 4)
  const charges: Readonly<Record<string, bigint>> = {
    'its usage': cardOf(USAGE.prompt_tokens, USAGE.completion_tokens),
    'its cost': CHARGED,
    [estimate]: cardOf(prompt_tokens, tokens),
  }
  const lost_ = outcome === lost ? AT_PAR : 0n
  return { found, wanted: { charge: charges[outcome] ?? 0n, lost: lost_, counted: isEstimate ? tokens : null } }
}

/** Lets an upstream answer as the row says; it waits before its headers, and before its end. */
function answerBy(row: Row, gates: { readonly begin: Gate; readonly end: Gate }, text = 'a word, '): Promise<StubCall> {
  const asked = Promise.withResolvers<StubCall>()
  stub.onChat = async (call, response) => {
    asked.resolve(call)
    await gates.begin.opened
    if (call.json?.['stream'] !== true) return row.whole(response)
    beginStream(response, row.headers ?? {})
    if (row.isSilent !== true) {
      for (let piece = 0; piece < 2; piece++) sendEvent(response, chunkText({ content: text }))
    }
    await gates.end.opened
    row.end(response)
  }
  return asked.promise
}

function gatesOf(): { readonly begin: Gate; readonly end: Gate } {
  return { begin: createGate(), end: createGate() }
}

const STREAM = { ...QUESTION, stream: true }

/** Text in all events of a stream. */
function textBytes(text: string): number {
  const data = eventsIn(text).filter((event) => event !== '[DONE]')
  const frames = data.map((event) => JSON.parse(event) as { choices?: { delta?: { content?: string | null } }[] })
  return frames.reduce((sum, { choices }) => sum + Buffer.byteLength(choices?.[0]?.delta?.content ?? ''), 0)
}

async function readAll(response: Response): Promise<number> {
  const text = await response.text()
  return response.status === 200 ? textBytes(text) : 0
}

/** Leaves once the upstream is asked. */
async function leaveEarly(body: object, asked: Promise<StubCall>): Promise<StubCall> {
  const leaving = new AbortController()
  const answer = gateway.chat(body, { signal: leaving.signal })
  answer.catch(() => undefined)
  const call = await asked
  leaving.abort()
  await expect(answer).rejects.toThrow(/abort/)
  return call
}

/** The columns of streams: what the caller does, and how many bytes of text it was given. */
const STREAMED: readonly (readonly [string, (row: Row) => Promise<number>])[] = [
  [
    'waits',
    async (row) => {
      const gates = gatesOf()
      void answerBy(row, gates)
      gates.begin.open()
      gates.end.open()
      return readAll(await gateway.chat(STREAM))
    },
  ],
  [
    'reads slowly',
    async (row) => {
      const gates = gatesOf()
      // More than the gateway keeps for a reader, so that the upstream has to wait for this one.
      void answerBy(row, gates, 'x'.repeat(2_000_000))
      gates.begin.open()
      const response = await gateway.chat(STREAM)
      const reader = response.body!.getReader()
      const pieces = [(await reader.read()).value ?? new Uint8Array()]
      gates.end.open()
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value)
      return textBytes(Buffer.concat(pieces).toString())
    },
  ],
  [
    'leaves before the upstream answers 200',
    async (row) => {
      const call = await leaveEarly(STREAM, answerBy(row, gatesOf()))
      await call.closed
      return 0
    },
  ],
  [
    'leaves in the middle',
    async (row) => {
      const gates = gatesOf()
      void answerBy(row, gates)
      gates.begin.open()
      const stream = await openStream(gateway, QUESTION)
      for (let piece = 0; piece < 2; piece++) await stream.until(hasText)
      stream.leave()
      await gateway.settled()
      gates.end.open()
      return Buffer.byteLength(stream.text())
    },
  ],
  [
    'has its key revoked in the middle',
    async (row) => {
      const gates = gatesOf()
      void answerBy(row, gates)
      gates.begin.open()
      const { rawKey: key, keyId } = await gateway.createKey()
      const stream = await openStream(gateway, QUESTION, { key })
      for (let piece = 0; piece < 2; piece++) await stream.until(hasText)
      await gateway.revokeKey(keyId)
      expect((await stream.rest()).json.error).toMatchObject({ code: 'invalid_api_key' })
      gates.end.open()
      return Buffer.byteLength(stream.text())
    },
  ],
]

/** The text of a whole answer of ours, in bytes. */
const WHOLE_BYTES = Buffer.byteLength('Hello you')

const WHOLE: readonly (readonly [string, (row: Row) => Promise<number>])[] = [
  [
    'waits',
    async (row) => {
      const gates = gatesOf()
      void answerBy(row, gates)
      gates.begin.open()
      await (await gateway.chat(QUESTION)).text()
      return WHOLE_BYTES
    },
  ],
  [
    'leaves',
    async (row) => {
      const gates = gatesOf()
      await leaveEarly(QUESTION, answerBy(row, gates))
      gates.begin.open()
      return WHOLE_BYTES
    },
  ],
  [
    'has its key revoked',
    async (row) => {
      const gates = gatesOf()
      const asked = answerBy(row, gates)
      const { rawKey: key, keyId } = await gateway.createKey()
      const answer = gateway.chat(QUESTION, { key })
      await asked
      await gateway.revokeKey(keyId)
      gates.begin.open()
      await (await answer).text()
      return WHOLE_BYTES
    },
  ],
]

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

test('the tables in the document are these', () => {
  const page = readFileSync(new URL('../docs/money.md', import.meta.url), 'utf8')
  const lines = [
    lineOf(['the upstream', ...STREAMED.map(([caller]) => caller)]),
    ...TABLE.map((row) => lineOf([row.upstream, ...row.streamed])),
    lineOf(['the upstream', ...WHOLE.map(([caller]) => caller)]),
    ...TABLE.map((row) => lineOf([row.upstream, ...row.answeredWhole])),
  ]
  expect(lines.filter((line) => !page.includes(line))).toEqual([])
})

describe.each(TABLE)('an upstream that $upstream', (row) => {
  const cells = STREAMED.map(([caller, work], index) => ({ caller, work, outcome: row.streamed[index]! }))
  test.each(cells.filter(({ outcome }) => outcome !== '–'))(
    'a stream whose caller $caller: $outcome',
    { timeout: 30_000 },
    async ({ work, outcome }) => {
      const { found, wanted } = await booked(outcome, () => work(row))
      expect(found).toEqual(wanted)
    },
  )

  test.each(WHOLE.map(([caller, work], index) => ({ caller, work, outcome: row.answeredWhole[index]! })))(
    'a whole answer whose caller $caller: $outcome',
    { timeout: 30_000 },
    async ({ work, outcome }) => {
      const { found, wanted } = await booked(outcome, () => work(row))
      expect(found).toEqual(wanted)
    },
  )
})
