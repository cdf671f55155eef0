/** All requests of a run to one operation, and what came of them. */
import { createRandom, type Random } from '../../packages/server/testing/random.ts'
import { checkAnswer } from './check-answer.ts'
import type { ConsolePerson } from './console-person.ts'
import type { FuzzTarget, Operation } from './fuzz-target.ts'
import type { HostileUpstream } from './hostile-upstream.ts'
import type { KnownNames } from './known-names.ts'
import { randomRequest } from './random-request.ts'
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
  /** What went wrong, with the number of the request, which the seed makes again. */
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
  /** Number of the first of them. */
  readonly first: number
  readonly connections: number
  /** Whether an operation that asks the upstream must have reached it. */
  readonly mustReach: boolean
}

/** Bodies of chats above this are refused before they are read, in bytes. */
export const BODY_BYTES_MAX = 128 * 1024
/**
 * The longest that one request may take, in milliseconds: what waits for nobody hangs for ever, and on a machine that
 * other work takes, twenty seconds are what an answer of two slow nodes may need. How slow answers were is told anyway.
 */
const HANG_MS = 60_000
/** As much of an answer of the upstream is told with a fault, in characters. */
const STORY_LENGTH = 700
/** Requests that what was made lasts for. */
const THINGS_LAST = 500
/** Counts, among the statuses, the files that broke off. */
const CUT = 0
/** The least part of requests that must reach the upstream, where an operation asks it: one in so many. */
const REACH = 10
/** With fewer requests than this their part says nothing. */
const REACH_REQUESTS_MIN = 500

/** Each request has random numbers of its own, so that one of them can be had again without those before it. */
export function randomFor(seed: number, operation: Operation, number: number): Random {
  const letters = [...operation.id].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7)
  const random = createRandom(
    (Math.imul(seed + 1, 2_654_435_761) ^ Math.imul(letters, 97) ^ Math.imul(number, 40_503)) >>> 0,
  )
  for (let turn = 0; turn < 4; turn++) random.below(2)
  return random
}

/** What one request came to: a status, or a fault in words. */
type Outcome = { readonly status: number } | { readonly fault: string }

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

async function sendOne(
  stage: OperationStage,
  operation: Operation,
  { connection, number }: { readonly connection: RawConnection; readonly number: number },
): Promise<Outcome> {
  const { target, rawKeys, known, person, upstream } = stage
  const rawKey = rawKeys[number % rawKeys.length] ?? rawKeys[0]
  const random = randomFor(stage.seed, operation, number)
  const session = person?.headers() ?? []
  const request = randomRequest(operation, { random, target, rawKey, session, known, bodyBytesMax: BODY_BYTES_MAX })
  const before = upstream.count()
  const exchange = await connection.send(request.bytes, { toHead: request.toHead, timeoutMs: HANG_MS })
  const fault = (what: string): Outcome => {
    const story = upstream.since(before).map((text) => `\n  ${text.slice(0, STORY_LENGTH)}`)
    return { fault: `${operation.id} ${number}: ${what}\n${request.summary}${story.join('')}` }
  }
  switch (exchange.kind) {
    case 'answered': {
      const { answer } = exchange
      const problem = checkAnswer(askedOperation(stage, operation, request.bytes), answer, request.toHead)
      if (problem !== null) return fault(problem)
      known.learn(operation, answer, request.address)
      await keepSession(stage, answer)
      return { status: answer.status }
    }
    case 'closed':
      // A file that breaks off upstream breaks off here: once it is begun there is no other way to tell.
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

/** Runs one. */
export async function fuzzOperation(stage: OperationStage, operation: Operation): Promise<OperationResult> {
  const statuses = new Map<number, number>()
  const faults: string[] = []
  let slowestMs = 0
  let next = stage.first
  const before = stage.upstream.count()
  const work = async (): Promise<void> => {
    const connection = new RawConnection(stage.port)
    while (next < stage.first + stage.requests) {
      const number = next++
      if ((number - stage.first) % THINGS_LAST === 0 && asksAfterThings(operation)) await stage.makeThings()
      const startedAt = performance.now()
      const outcome = await sendOne(stage, operation, { connection, number })
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      if ('fault' in outcome) faults.push(outcome.fault)
      else statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: stage.connections }, work))
  const upstreamAnswers = stage.upstream.count() - before
  faults.push(...reachFault(stage, operation, upstreamAnswers))
  return { id: operation.id, requests: stage.requests, slowestMs, statuses, upstreamAnswers, faults }
}
