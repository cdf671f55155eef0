/**
 * One line of a batch: a request under a name of its own, so that one request alone is charged for it, whichever
 * process makes it. What came of it is written down before it is charged: a process that goes on after a crash asks the
 * books, and finds the answer of what they say was charged.
 */
import { requireRight } from '../edge/route.ts'
import type { IdempotentRun } from '../admission/idempotency/idempotency.ts'
import { endpoints } from '@svc/contract'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { createId } from '../platform/runtime/ids.ts'
import { answerLine } from './answer-line.ts'
import { asBooked } from './booked-result.ts'
import { type Batch, callerOfBatches } from './batch.ts'
import type { BatchLine } from './batch-line-store.ts'
import { type LineFacts, logLine } from './log-line.ts'
import { parseRequestLine, type RequestLine } from './batch-request-line.ts'
import type { BatchWorkDeps } from './batch-deps.ts'
import {
  type LineIdentity,
  openResult,
  renderAnswered,
  renderFailed,
  renderUnmade,
  sealResult,
  type Unmade,
} from './line-result.ts'

/** A line that is to be worked on, and its text. */
export interface LineToRun {
  readonly batch: Batch
  readonly line: BatchLine
  readonly text: Buffer
  /** Whether another request may have worked on it before. */
  readonly isLeft: boolean
  /** Why it is not made any more, unless it was; null: it is made. */
  readonly unmade: Unmade | null
}

/** What became of it. */
export type LineOutcome =
  | { readonly kind: 'ended' }
  /** It is to be worked on again. */
  | {
      readonly kind: 'again'
      readonly line: BatchLine
      readonly waitMs: number
      /** Whether other lines would fare no better. */
      readonly isCrowded: boolean
    }

/** How often a line is asked for whose upstream fails, as OpenAI's clients do it. */
const ATTEMPTS_MAX = 3
/** How long a line waits before the second attempt, in milliseconds; four times as long before the third. */
const RETRY_MS = 500
/** How long a line waits that another request works on, or whose turn it is not, in milliseconds. Source: own choice. */
const BUSY_MS = 2_000
const BUSY_MS_MAX = 60_000
/** Longest result of a line, in UTF-16 units. Source: own choice. */
const RESULT_LENGTH_MAX = 16 * 1_048_576

/** Another request works on the line by now. */
class OvertakenError extends Error {}

type Name =
  /** Nothing was charged for it, and nothing else will be. */
  | { readonly kind: 'run'; readonly run: IdempotentRun; readonly line: BatchLine }
  /** What is kept of it was charged. */
  | { readonly kind: 'charged' }
  | { readonly kind: 'busy' }

/** Takes the name of a line for a request, unless another one has it. */
async function takeName(deps: BatchWorkDeps, { batch, line, text, isLeft }: LineToRun): Promise<Name> {
  const { accountId, keyId, batchId } = batch
  if (line.result !== null) {
    const { requestId, processId } = line
    const outcome = await deps.outcomeOf({ callerId: keyId, requestId, processId })
    if (outcome !== 'free') return { kind: outcome === 'charged' ? 'charged' : 'busy' }
  }
  const requestId = isLeft ? createId(deps.clock.now()) : line.requestId
  const name = `${batchId} line ${line.line}`
  const call = { accountId, callerId: callerOfBatches(keyId), requestId, endpoint: 'line', name, body: text }
  try {
    const begun = await deps.names.begin(call)
    if (begun.kind === 'replay') return { kind: 'charged' }
    const anew = { ...line, requestId, processId: deps.processId, result: null }
    if (!isLeft || (await deps.lines.restart(line, anew))) return { kind: 'run', run: begun.run, line: anew }
    await begun.run.release()
    return { kind: 'busy' }
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : null
    if (code === 'idempotency_key_in_use') return { kind: 'busy' }
    if (code === 'idempotency_answer_gone') return { kind: 'charged' }
    throw error
  }
}

function again(line: BatchLine, waitMs: number, isCrowded = false): LineOutcome {
  return { kind: 'again', line, waitMs, isCrowded }
}

/** Works on a line as far as it goes now. @throws what the database throws: then the line is as it was. */
export async function runLine(deps: BatchWorkDeps, asked: LineToRun): Promise<LineOutcome> {
  const name = await takeName(deps, asked)
  if (name.kind === 'busy') return again(asked.line, BUSY_MS)
  if (name.kind === 'charged') return endCharged(deps, asked)
  const taken = { ...asked, line: name.line }
  const { unmade } = asked
  return unmade === null ? work(deps, taken, name.run) : endUnmade(deps, taken, { unmade, run: name.run })
}

/** Ends a line that is not made. The end comes first: a name without it would say that the line was charged. */
async function endUnmade(
  deps: BatchWorkDeps,
  taken: LineToRun,
  { unmade, run }: { readonly unmade: Unmade; readonly run: IdempotentRun },
): Promise<LineOutcome> {
  try {
    await end(deps, taken, { state: 'failed', text: renderUnmade(identityOf(taken), unmade), isCounted: false })
  } catch (error) {
    await run.release().catch(() => undefined)
    throw error
  }
  // The name stays taken: what an earlier request of it is charged late is written off.
  await run.finish(null)
  return { kind: 'ended' }
}

function requestOf({ text, batch }: LineToRun): RequestLine {
  return parseRequestLine(text, batch.endpoint)
}

/** Whose result it is, as far as the line can still be read. */
function identityOf(asked: LineToRun): LineIdentity {
  const { requestId } = asked.line
  try {
    return { requestId, customId: requestOf(asked).customId }
  } catch {
    return { requestId, customId: null }
  }
}

interface EndedLine {
  readonly state: 'completed' | 'failed'
  readonly text: string
  readonly isCounted: boolean
}

async function end(
  deps: BatchWorkDeps,
  { batch, line }: LineToRun,
  { text, ...ended }: EndedLine,
): Promise<LineOutcome> {
  const result = sealResult(deps.secrets[0], batch.batchId, line.line, text)
  const isMine = await deps.lines.end(line, { ...ended, result })
  if (isMine) deps.onLine(ended.isCounted ? ended.state : 'unmade')
  return { kind: 'ended' }
}

/** What was kept before the charge, with the charge. */
async function resultAsBooked(deps: BatchWorkDeps, { batch, line }: LineToRun, result: string): Promise<string> {
  const charge = await deps.chargeOf({ callerId: batch.keyId, requestId: line.requestId })
  const text = openResult(deps.secrets, batch.batchId, { line: line.line, result })
  if (charge === null || text === null) return result
  const booked = asBooked(text, charge)
  return booked === text ? result : sealResult(deps.secrets[0], batch.batchId, line.line, booked)
}

/** Ends a line whose request was charged, by whichever process. */
async function endCharged(deps: BatchWorkDeps, asked: LineToRun): Promise<LineOutcome> {
  const { batch, line } = asked
  const kept = await deps.lines.findResult(line)
  if (kept !== null) {
    const result = await resultAsBooked(deps, asked, kept)
    const isMine = await deps.lines.end(line, { state: 'completed', result, isCounted: true })
    if (isMine) deps.onLine('completed')
    return { kind: 'ended' }
  }
  const error = new InvariantError(`line ${line.line} of ${batch.batchId} was charged before its answer was kept`)
  deps.log.error({ request_id: line.requestId, err: error }, 'a line of a batch has lost its answer')
  return end(deps, asked, { state: 'failed', text: renderFailed(identityOf(asked), error), isCounted: true })
}

async function work(deps: BatchWorkDeps, taken: LineToRun, run: IdempotentRun): Promise<LineOutcome> {
  const { batch, line } = taken
  const { customId, body } = requestOf(taken)
  const identity = { requestId: line.requestId, customId }
  const render = (answer: string): string => renderAnswered(identity, answer)
  const facts: LineFacts = { startedAt: deps.clock.elapsed(), model: null, creditsCharged: null }
  let answer: string
  try {
    const caller = await deps.authenticator.authenticateId(batch.keyId)
    requireRight(caller, endpoints.createBatch)
    deps.noteKeyUse(batch.keyId)
    const { requestId } = line
    const { cardPercent, endpoint, lineMost: most } = batch
    const keep = (json: string) => keepAnswer(deps, taken, render(json))
    const terms = most === null ? null : { most, quote: null }
    const asked = { caller, requestId, body, terms, cardPercent, clock: deps.clock, keep, facts }
    answer = await answerLine(deps, endpoint, asked)
  } catch (error) {
    if (!(error instanceof OvertakenError)) logLine(deps, { batch, line, facts, error })
    await run.release()
    return fail(deps, taken, error)
  }
  logLine(deps, { batch, line, facts, error: null })
  await run.finish(null)
  return end(deps, taken, { state: 'completed', text: render(answer), isCounted: true })
}

/** @throws {Error} why the request is free. */
async function keepAnswer(deps: BatchWorkDeps, { batch, line }: LineToRun, text: string): Promise<void> {
  if (text.length > RESULT_LENGTH_MAX) {
    throw new ServiceError('limit_reached', 'The answer is too long for a batch: ask for it alone.')
  }
  const isKept = await deps.lines.keep(line, sealResult(deps.secrets[0], batch.batchId, line.line, text))
  if (!isKept) throw new OvertakenError(`another request works on line ${line.line} of ${batch.batchId}`)
}

/** Ends a line that has failed and is free, or lets it be asked for again. */
async function fail(deps: BatchWorkDeps, taken: LineToRun, error: unknown): Promise<LineOutcome> {
  const { line } = taken
  if (error instanceof OvertakenError) return { kind: 'ended' }
  const service = error instanceof ServiceError ? error : null
  if (service === null) deps.log.error({ request_id: line.requestId, err: error }, 'a line of a batch failed')
  // It says nothing of the line: the gateway stops or has no database, or there were too many requests.
  if (service !== null && WAITED_OUT.has(service.code)) {
    deps.onLine('repeated')
    return again(line, Math.min((service.retryAfterSeconds ?? 0) * 1_000 || BUSY_MS, BUSY_MS_MAX), true)
  }
  const status = service?.status ?? 500
  if (status >= 500 && line.attempts < ATTEMPTS_MAX) {
    deps.onLine('repeated')
    return again({ ...line, attempts: line.attempts + 1 }, RETRY_MS * 4 ** (line.attempts - 1))
  }
  return end(deps, taken, { state: 'failed', text: renderFailed(identityOf(taken), error), isCounted: true })
}

const WAITED_OUT: ReadonlySet<string> = new Set(['server_is_overloaded', 'rate_limit_exceeded'])
