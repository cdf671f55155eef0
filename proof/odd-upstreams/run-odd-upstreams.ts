/** One run: each dialect is asked in every form, whole and streamed, and what came is compared with what it said. */
import type { ProgramEnd } from '../../packages/server/testing/gateway-rig.ts'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import type { GatewayProcess } from '../../packages/server/testing/start-gateway-process.ts'
import { openRig, type Rig } from '../rig/gateway-rig.ts'
import { isFault } from '../rig/log-faults.ts'
import type { StorageOptions } from '../rig/storage.ts'
import { stopInOrder } from '../rig/stop-in-order.ts'
import { until } from '../rig/until.ts'
import { answerOf } from './answer-bytes.ts'
import type { Dialect } from './dialect.ts'
import { type Form, forms, readReply } from './forms.ts'
import { type BookedRow, faultsOf, type Outcome, PRICE } from './judge.ts'
import { dialectOf, MODEL_PREFIX, type OddUpstream, startOddUpstream, TEXTS_PATH } from './odd-upstream.ts'
import { agreeOn, type Terms, termsOf } from './agreed-terms.ts'
import type { Reading } from './reading.ts'

export interface OddOptions extends StorageOptions {
  readonly seed: number
  /** How many dialects. */
  readonly upstreams: number
  /** Number of the first. */
  readonly first: number
  /** How many are asked at a time. */
  readonly connections: number
  readonly onBatch?: (done: number, report: OddReport) => void
}

export interface OddFault {
  readonly number: number
  readonly text: string
}

export interface OddReport {
  asked: number
  /** Answers that came whole, and those that a client was told to have failed. */
  whole: number
  failed: number
  /** Requests that were charged. */
  charged: number
  /** The longest that holds were open once nothing was asked any more, in milliseconds. */
  heldMs: number
  slowestMs: number
  readonly faults: OddFault[]
  /** Beyond those of single requests. */
  readonly others: string[]
}

export interface OddEnd extends OddReport {
  readonly upstreamAnswers: number
  readonly audit: ProgramEnd
  readonly seconds: number
}

/** How long the gateway waits for an upstream that is silent, in milliseconds; a busy machine takes seconds itself. */
const PATIENCE_MS = 5_000
/** How long it waits for content. */
const CONTENT_MS = 6_000
/** Within so long no hold may be left. Source: the promise that is proved. */
const HOLDS_MS_MAX = 120_000
/** Dialects of one gateway: what it has learned of some is not what it learns of others. */
const BATCH = 500
const CREDITS = 1_000_000_000n
/** The longest that one request may take, in milliseconds. */
const REQUEST_MS_MAX = 60_000

interface Stage {
  readonly rig: Rig
  readonly port: number
  readonly rawKey: string
  readonly options: OddOptions
  readonly report: OddReport
}

/** What was asked, and what came of it; `fault` says why a client could not read it. */
interface Asked extends Question {
  /** What was agreed on; null where nothing was, or could not be. */
  readonly terms: Terms | null
  readonly requestId: string | null
  readonly reading: Reading | null
  readonly fault: string | null
  readonly body: string
}

interface Question {
  readonly number: number
  readonly dialect: Dialect
  readonly form: Form
  readonly isStream: boolean
}

async function ask({ port, rawKey, report }: Stage, question: Question): Promise<Asked> {
  const { number, dialect, form, isStream } = question
  const model = `${MODEL_PREFIX}${number}`
  const startedAt = performance.now()
  const origin = `http://127.0.0.1:${port}/api`
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${rawKey}` }
  const sent = JSON.stringify({ model, stream: isStream, ...form.body(dialect, isStream) })
  const agreement = termsOf(question)
  const terms = agreement === null ? null : await agreeOn(agreement, { origin, headers, path: form.path, body: sent })
  const asked = { ...question, terms }
  try {
    const response = await fetch(`${origin}${form.path}`, {
      method: 'POST',
      headers: { ...headers, ...terms?.headers },
      body: sent,
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    })
    const requestId = response.headers.get('x-request-id')
    const body = await response.text()
    const reply = { status: response.status, contentType: response.headers.get('content-type') ?? '', body }
    try {
      return { ...asked, requestId, body, reading: readReply(form, reply, { model, dialect }), fault: null }
    } catch (error) {
      return { ...asked, requestId, body, reading: null, fault: String(error) }
    }
  } catch (error) {
    return { ...asked, requestId: null, body: '', reading: null, fault: `no answer: ${String(error)}` }
  } finally {
    report.slowestMs = Math.max(report.slowestMs, performance.now() - startedAt)
  }
}

async function askAll(stage: Stage, number: number): Promise<Asked[]> {
  const drawn = dialectOf(stage.options.seed, number)
  const hasPath = upstreamFor(number) === 'odd-texts'
  const all: Asked[] = []
  for (const form of forms) {
    const dialect = form.speaks(drawn, hasPath)
    for (const isStream of [false, true]) all.push(await ask(stage, { number, dialect, form, isStream }))
  }
  return all
}

/** The newest records, by the ids of their requests. */
async function readBooks({ rig }: Stage): Promise<ReadonlyMap<string, BookedRow>> {
  const rows = await rig.database.read
    .selectFrom('usage_record')
    .select(['usage_id', 'charge', 'status', 'error_code', 'prompt_tokens', 'completion_tokens', 'estimated'])
    .orderBy('created_at', 'desc')
    .limit(BATCH * forms.length * 2)
    .execute()
  return new Map(
    rows.map((row) => [
      row.usage_id,
      {
        ...{ charge: row.charge, status: row.status, errorCode: row.error_code },
        ...{ promptTokens: Number(row.prompt_tokens), completionTokens: Number(row.completion_tokens) },
        isEstimated: Boolean(row.estimated),
      },
    ]),
  )
}

function storyOf({ options }: Stage, asked: Asked, fault: string): string {
  const { number, dialect, form, isStream, body } = asked
  const pieces =
    dialect.trouble.kind === 'drip' ? [] : [...answerOf({ ...dialect, encoding: 'identity' }, isStream).pieces]
  const sent = Buffer.concat(pieces.flatMap((piece) => (typeof piece === 'number' ? [] : [Buffer.from(piece)])))
  return [
    `${form.name} ${isStream ? 'streamed' : 'whole'} of ${number}: ${fault}`,
    `  repeat with: npm run odd-upstreams -- --upstreams 1 --first ${number} --seed ${options.seed}`,
    `  dialect: ${JSON.stringify(dialect)}`,
    `  sent: ${JSON.stringify(sent.toString('utf8').slice(0, 3_000))}`,
    `  came: ${JSON.stringify(body.slice(0, 3_000))}`,
  ].join('\n')
}

function judge(stage: Stage, asked: Asked, books: ReadonlyMap<string, BookedRow>): void {
  const { report } = stage
  const row = asked.requestId === null ? null : (books.get(asked.requestId) ?? null)
  const { reading } = asked
  report.asked++
  if (reading !== null) report[reading.ends]++
  if (row !== null && row.charge > 0n) report.charged++
  const outcome: Outcome | null = reading === null ? null : { ...asked, reading, row }
  const faults = outcome === null ? [asked.fault ?? ''] : faultsOf(asked.dialect, outcome)
  for (const fault of faults) report.faults.push({ number: asked.number, text: storyOf(stage, asked, fault) })
}

async function playBatch(stage: Stage, numbers: readonly number[]): Promise<void> {
  const { rig, options, report } = stage
  const left = [...numbers]
  const all: Asked[] = []
  const work = async (): Promise<void> => {
    for (let number = left.shift(); number !== undefined; number = left.shift())
      all.push(...(await askAll(stage, number)))
  }
  await Promise.all(Array.from({ length: options.connections }, work))
  const startedAt = performance.now()
  const isSettled = await until(async () => (await rig.openHolds()) === 0, HOLDS_MS_MAX)
  report.heldMs = Math.max(report.heldMs, performance.now() - startedAt)
  if (!isSettled) report.others.push(`holds are left after ${HOLDS_MS_MAX} ms`)
  const books = await readBooks(stage)
  for (const asked of all) judge(stage, asked, books)
}

/** A quarter of them is taken for a router, which is known to tell costs and to bill no failure; another completes texts. */
function upstreamFor(number: number): string {
  return ['odd', 'odd-texts', 'odd', 'odd-router'][number % 4] ?? 'odd'
}

function routesFor(numbers: readonly number[]) {
  return Object.fromEntries(
    numbers.map((number) => {
      const model = `${MODEL_PREFIX}${number}`
      return [model, { upstream: upstreamFor(number), model, price: PRICE }]
    }),
  )
}

async function startBatch(options: OddOptions, upstream: OddUpstream, numbers: readonly number[]): Promise<Rig> {
  const patience = { first_byte_ms: PATIENCE_MS, idle_ms: PATIENCE_MS, content_ms: CONTENT_MS }
  return openRig({
    ...{ engine: options.engine, postgresUrl: options.postgresUrl },
    upstreamUrl: upstream.url,
    more: {
      upstreams: [
        { name: 'odd', kind: 'openai-compatible', url: upstream.url, ...patience },
        {
          ...{ name: 'odd-texts', kind: 'openai-compatible', url: upstream.url, ...patience },
          text_completions: { path: TEXTS_PATH },
        },
        { name: 'odd-router', kind: 'openrouter', url: upstream.url, ...patience },
      ],
      routes: routesFor(numbers),
    },
  })
}

async function play(
  options: OddOptions,
  upstream: OddUpstream,
  report: OddReport,
  numbers: readonly number[],
): Promise<ProgramEnd> {
  const rig = await startBatch(options, upstream, numbers)
  try {
    const account = await rig.createAccount('odd', CREDITS)
    const { rawKey } = await rig.createKey(account)
    const port = await findFreePort()
    const onLine = (line: string): void => {
      if (isFault(line)) report.others.push(line.slice(0, 2_000))
    }
    const gateway: GatewayProcess = await rig.start(port, { onLine })
    await playBatch({ rig, port, rawKey, options, report }, numbers)
    report.others.push(...(await stopInOrder(rig, gateway)))
    return await rig.audit()
  } finally {
    await rig.close()
  }
}

/** Runs it. */
export async function runOddUpstreams(options: OddOptions): Promise<OddEnd> {
  const startedAt = performance.now()
  const report: OddReport = {
    ...{ asked: 0, whole: 0, failed: 0, charged: 0, heldMs: 0, slowestMs: 0 },
    ...{ faults: [], others: [] },
  }
  const upstream = await startOddUpstream(options.seed)
  let audit: ProgramEnd = { code: 0, output: '' }
  try {
    for (let done = 0; done < options.upstreams;) {
      const size = Math.min(BATCH, options.upstreams - done)
      const numbers = Array.from({ length: size }, (_none, at) => options.first + done + at)
      const ended = await play(options, upstream, report, numbers)
      if (ended.code !== 0) audit = ended
      done += size
      options.onBatch?.(done, report)
    }
  } finally {
    await upstream.close()
  }
  const seconds = (performance.now() - startedAt) / 1_000
  return { ...report, upstreamAnswers: upstream.count(), audit, seconds }
}

/** Every fault of a run, in words. */
export function oddFaultsOf({ faults, others, audit }: OddEnd): readonly string[] {
  return [...faults.map(({ text }) => text), ...others, ...(audit.code === 0 ? [] : [audit.output])]
}
