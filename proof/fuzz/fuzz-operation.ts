/** All requests of a run to one operation, and what came of them. */
import fc from 'fast-check'
import { checkAnswer } from './check-answer.ts'
import type { ConsolePerson } from './console-person.ts'
import type { FuzzTarget, Operation } from './fuzz-target.ts'
import { askQuote, type Quoted } from './ask-quote.ts'
import type { HostileUpstream } from './hostile-upstream.ts'
import type { KnownNames } from './known-names.ts'
import { type RandomRequest, randomRequest, type Sending } from './random-request.ts'
import type { RawAnswer } from './raw-answers.ts'
import { RawConnection } from './raw-connection.ts'

export interface OperationResult {
  readonly id: string
  readonly requests: number
  readonly slowestMs: number
  /** How many answers each status had. */
  readonly statuses: ReadonlyMap<number, number>
  /** Answers that the hostile upstream gave meanwhile. */
  readonly upstreamAnswers: number
  /** What went wrong, with the path of the request, which the seed makes again. */
  readonly faults: readonly string[]
}

export interface OperationStage {
  readonly target: FuzzTarget
  readonly port: number
  /** They take turns. */
  readonly rawKeys: readonly [string, ...string[]]
  /** Who calls the console; null for an operation that takes a key. */
  readonly person: ConsolePerson | null
  readonly known: KnownNames
  /** Makes things to ask after: operations on one of them use them up. */
  readonly makeThings: () => Promise<void>
  readonly upstream: Pick<HostileUpstream, 'count' | 'since'>
  readonly seed: number
  readonly requests: number
  /** Where they begin: the number of the first, or the path of the one that is sent again. */
  readonly path: string
  readonly connections: number
  /** Whether an operation that asks the upstream must have reached it. */
  readonly mustReach: boolean
}

/** Bodies of chats above this are refused before they are read, in bytes. */
export const BODY_BYTES_MAX = 128 * 1024
/**
 * The longest that one request may take, in milliseconds: what waits for nothing hangs for ever, and on a machine that
 * other work takes, twenty seconds are what an answer of two slow nodes may need. How slow answers were is reported
 * anyway.
 */
const HANG_MS = 60_000
/** As much of an answer of the upstream is reported with a fault, in characters. */
const STORY_LENGTH = 700
/** Requests that what was made lasts for. */
const THINGS_LAST = 500
/** Counts, among the statuses, the files that broke off. */
const CUT = 0
/** The least part of requests that must reach the upstream, where an operation asks it: one in so many. */
const REACH = 10
/** Faults of an operation that are made smaller; more of them are mostly the same. */
const SHRUNK_MAX = 3
const SHRINK_MS_MAX = 30_000
/** Requests that are made ahead of those that send them. */
const MADE_AT_ONCE = 100
/** With fewer requests than this their part says nothing. */
const REACH_REQUESTS_MIN = 500

/** What one request came to: a status, or a fault in words. */
type Outcome = { readonly status: number } | { readonly fault: string }

type Request = (sending: Sending) => RandomRequest

/** With another method the request is one to the address's other operation, where it has one. */
function askedOperation({ target }: OperationStage, operation: Operation, request: Buffer): Operation {
  const method = request.toString('latin1', 0, 12).split(' ')[0]
  return target.operations.find((each) => each.path === operation.path && each.method === method) ?? operation
}

/** A session that was ended, by a request or by its age, is taken up again. */
async function keepSession({ person }: OperationStage, { status, body }: RawAnswer): Promise<void> {
  if (person === null || (status !== 401 && status !== 403)) return
  if (/"(?:not_signed_in|sign_in_again)"/.test(body.toString('utf8'))) await person.renew()
}

/** What is charged above a quote; a stream tells its charge in its last events. */
function chargeFault({ most }: Quoted, { headers, body }: RawAnswer): string | null {
  const [told = ''] =
    body
      .toString('latin1')
      .match(/(?<="credits_charged":)[\d.]+/g)
      ?.slice(-1) ?? []
  const charged = Number(headers['x-svc-credits-charged'] ?? told)
  return charged > most ? `${charged} credits are charged, and ${most} were quoted` : null
}

async function sendOne(
  stage: OperationStage,
  operation: Operation,
  { connection, number, write }: { connection: RawConnection; number: number; write: Request },
): Promise<Outcome> {
  const { rawKeys, known, person, upstream } = stage
  const rawKey = rawKeys[number % rawKeys.length] ?? rawKeys[0]
  const sending = { rawKey, session: person?.headers() ?? [], known, bodyBytesMax: BODY_BYTES_MAX, quoteId: null }
  const plain = write(sending)
  const quote = plain.quotable === null ? null : await askQuote(connection, rawKey, operation, plain.quotable)
  const request = quote === null ? plain : write({ ...sending, quoteId: quote.id })
  const before = upstream.count()
  const exchange = await connection.send(request.bytes, { toHead: request.toHead, timeoutMs: HANG_MS })
  const fault = (what: string): Outcome => {
    const story = upstream.since(before).map((text) => `\n  ${text.slice(0, STORY_LENGTH)}`)
    return { fault: `${what}\n${request.summary}${story.join('')}` }
  }
  switch (exchange.kind) {
    case 'answered': {
      const { answer } = exchange
      const problem = checkAnswer(askedOperation(stage, operation, request.bytes), answer, request.toHead)
      if (problem !== null) return fault(problem)
      const dear = quote === null ? null : chargeFault(quote, answer)
      if (dear !== null) return fault(dear)
      known.learn(operation, answer, request.address)
      await keepSession(stage, answer)
      return { status: answer.status }
    }
    case 'closed':
      // A file that breaks off upstream breaks off here: once it is begun there is no other way to show it.
      if (exchange.hasBegun && operation.sendsFiles) return { status: CUT }
      return request.mayBeCut ? { status: 413 } : fault('the connection ended without an answer')
    case 'hung':
      return fault(`no answer within ${HANG_MS} ms`)
    case 'broken':
      return fault(exchange.message)
  }
}

/** A proof that hardly reached what it is to prove is none. */
function reachFault({ mustReach, requests }: OperationStage, { id, asksUpstream }: Operation, reached: number) {
  if (!mustReach || !asksUpstream || requests < REACH_REQUESTS_MIN || reached * REACH >= requests) return []
  return [`${id}: the upstream was reached ${reached} times only, by ${requests} requests: that proves nothing`]
}

function asksAfterThings({ path, caller }: Operation): boolean {
  return path.includes('{') && caller === 'key'
}

/** Each operation has requests of its own, also where two have the same schema. */
function seedFor({ seed }: OperationStage, { id }: Operation): number {
  return [...id].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed) | 0
}

/** Sends a request that went wrong again, and ever smaller ones for as long as they go wrong, too. */
async function shrink(stage: OperationStage, operation: Operation, path: string): Promise<string | null> {
  const connection = new RawConnection(stage.port)
  const number = Number(path.split(':', 1)[0])
  const property = fc.asyncProperty(randomRequest(operation, stage.target), async (write) => {
    const outcome = await sendOne(stage, operation, { connection, number, write })
    if ('fault' in outcome) throw new Error(outcome.fault)
  })
  const found = { seed: seedFor(stage, operation), path, numRuns: 1 }
  const told = await fc.check(property, { ...found, interruptAfterTimeLimit: SHRINK_MS_MAX })
  connection.close()
  if (told.counterexamplePath === null) return null
  const fault = told.errorInstance instanceof Error ? told.errorInstance.message : String(told.errorInstance)
  return `${operation.id} --path ${told.counterexamplePath}: ${fault}`
}

interface Waiting {
  readonly path: string
  readonly write: Request
}

/** Requests from one on, made as they are needed. */
function* requestsFrom(stage: OperationStage, operation: Operation): Generator<Waiting, void, undefined> {
  const { target, path, requests } = stage
  const seed = seedFor(stage, operation)
  const arbitrary = randomRequest(operation, target)
  // The path of a request that shrank leads to that one alone.
  if (path.includes(':')) {
    for (const write of fc.sample(arbitrary, { seed, path, numRuns: 1 })) yield { path, write }
    return
  }
  const first = Number(path)
  for (let at = first; at < first + requests; at += MADE_AT_ONCE) {
    const numRuns = Math.min(MADE_AT_ONCE, first + requests - at)
    const writes = fc.sample(arbitrary, { seed, path: String(at), numRuns })
    for (const [index, write] of writes.entries()) yield { path: String(at + index), write }
  }
}

/** Runs one. */
export async function fuzzOperation(stage: OperationStage, operation: Operation): Promise<OperationResult> {
  const statuses = new Map<number, number>()
  const failed: { readonly path: string; readonly fault: string }[] = []
  let slowestMs = 0
  let sent = 0
  const before = stage.upstream.count()
  const waiting = requestsFrom(stage, operation)
  const work = async (): Promise<void> => {
    const connection = new RawConnection(stage.port)
    // Not `for … of`, which would end what the others take from, too.
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      const { path, write } = next.value
      const number = sent++
      if (number % THINGS_LAST === 0 && asksAfterThings(operation)) await stage.makeThings()
      const startedAt = performance.now()
      const outcome = await sendOne(stage, operation, { connection, number, write })
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      if ('fault' in outcome) failed.push({ path, fault: outcome.fault })
      else statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: stage.connections }, work))
  const upstreamAnswers = stage.upstream.count() - before
  const faults: string[] = []
  for (const { path, fault } of failed) {
    const smallest = faults.length < SHRUNK_MAX ? await shrink(stage, operation, path) : null
    faults.push(smallest ?? `${operation.id} --path ${path}: ${fault}`)
  }
  faults.push(...reachFault(stage, operation, upstreamAnswers))
  return { id: operation.id, requests: sent, slowestMs, statuses, upstreamAnswers, faults }
}
