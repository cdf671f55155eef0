/**
 * Room `idempotency`: requests that carry an Idempotency-Key are worked on once, whichever process they reach. It knows
 * nothing of what the requests ask for, and asks others what became of the money.
 *
 * The row is taken before the work and finished after the settlement. What a crash leaves between is decided by the
 * books: a request that was charged is never worked on again, one that was free may be.
 *
 * Source: decision 0035 (Idempotency-Key).
 */
import { createHash } from 'node:crypto'
import type { RequestName } from '../../money/ledger/operations.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { BelievedClock } from '../../platform/runtime/believed-clock.ts'
import type { IdempotentRequestStore, IdempotentRow } from './idempotent-request-store.ts'
import type { KeptSpace } from './kept-space.ts'
import { PatientWrites } from './patient-writes.ts'
import { type KeptAnswer, openAnswer, type SealSecret, sealAnswer } from './sealed-answer.ts'

/** How long an answer is given again, in milliseconds. Source: decision 0035. */
const KEPT_MS = 86_400_000

/** Longest answer that is kept, in UTF-16 units. Source: own choice; images are longer, texts are not. */
export const KEPT_LENGTH_MAX = 1_048_576

/** A process that ends a request while another begins it anew moves out of each other's way after so many turns. */
const TURNS_MAX = 5

/** Rows that wait to be taken back at most, while the database is away. Source: own choice. */
const TAKING_BACK_MAX = 1_000

/** What the books say of a request that was begun. */
export type RequestOutcome =
  /** It runs, or its settlement is not written yet. */
  | 'open'
  /** It was charged, or may have had its effect: it is never worked on again. */
  | 'charged'
  /** It failed, or it never came to anything. */
  | 'free'

export interface IdempotencyDeps {
  readonly store: IdempotentRequestStore
  readonly clock: Pick<BelievedClock, 'latest' | 'earliest'>
  /** This process's name in the leases. */
  readonly processId: string
  /** The first seals; all open. */
  readonly secrets: readonly [SealSecret, ...SealSecret[]]
  /** What kept answers may take. */
  readonly space: KeptSpace
  /** What became of a request that is not finished here. */
  readonly outcomeOf: (request: BegunRequest) => Promise<RequestOutcome>
  /** What is said of a request that is over and whose answer is not here. */
  readonly reportGone: (requestId: string) => string
}

export interface BegunRequest {
  readonly callerId: string
  readonly requestId: string
  readonly processId: string
}

export interface IdempotentCall {
  /** The account of the key, or the person: how much is kept of their answers has a limit. */
  readonly accountId: string
  /** A key, or a person who is signed in to the console. */
  readonly callerId: string
  readonly requestId: string
  /** Which endpoint: the same name on another endpoint is another request. */
  readonly endpoint: string
  /** The caller's Idempotency-Key. */
  readonly name: string
  /** What was asked, in bytes that are the same when the same is asked again. */
  readonly body: Buffer
}

export type BegunCall =
  /** It was answered before: give the same again. */
  | { readonly kind: 'replay'; readonly requestId: string; readonly answer: KeptAnswer }
  | { readonly kind: 'run'; readonly run: IdempotentRun }

/** A request that is worked on under its name. One of the three ends it. */
export interface IdempotentRun {
  /**
   * It was answered. Where the database is away its name stays taken until that is back and the answer is noted.
   * @param answer null when it cannot be given again, because it is too long or was not whole.
   */
  finish(answer: KeptAnswer | null): Promise<void>
  /**
   * It failed before it was answered: its name may be used for another try where the books say that it was free. Where
   * they cannot say so yet, because its settlement is written later, the name stays taken until they can.
   */
  release(): Promise<void>
  /**
   * It failed in the middle: answered with what came where that was charged, and as `release` says otherwise.
   * @param answer null when what came cannot be given again.
   */
  finishFailed(answer: KeptAnswer | null): Promise<void>
}

export interface Idempotency {
  /**
   * Takes the name of a request for it.
   * @throws {ServiceError} 409 while the same request runs, 409 when its answer cannot be given again, 422 when the
   *   name was used for another body.
   */
  begin(call: IdempotentCall): Promise<BegunCall>
  /** The name of a request that is worked on here; null where it has none. */
  nameOf(requestId: string): RequestName | null
  /** Forgets what is older than a day. */
  removeExpired(): Promise<void>
}

const NAME = /^[\x21-\x7e]{1,255}$/

/**
 * Reads the header; null when it is absent.
 * @throws {ServiceError} when it cannot be a name.
 */
export function parseIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && NAME.test(header)) return header
  throw new ServiceError('invalid_value', 'Idempotency-Key must be 1 to 255 visible ASCII characters, given once.', {
    param: 'Idempotency-Key',
  })
}

function inUse(): ServiceError {
  const message = 'A request with this Idempotency-Key is being worked on. Ask again in a moment.'
  return new ServiceError('idempotency_key_in_use', message, { retryAfterSeconds: 1 })
}

function reused(): ServiceError {
  const message = 'This Idempotency-Key was used for a request with another body. Use a new one for each request.'
  return new ServiceError('idempotency_key_reused', message, { param: 'Idempotency-Key' })
}

function answerGone(requestId: string, tell: IdempotencyDeps['reportGone']): ServiceError {
  const message = tell(requestId)
  return new ServiceError('idempotency_answer_gone', message, {
    shouldRetry: false,
    details: { request_id: requestId },
  })
}

interface RunDeps extends Pick<IdempotencyDeps, 'store' | 'secrets' | 'space' | 'outcomeOf'> {
  readonly writes: PatientWrites
  readonly onEnd: () => void
}

/** A request whose name was taken, and its three ends. */
function createRun(deps: RunDeps, row: IdempotentRow, { accountId, name }: IdempotentCall): IdempotentRun {
  const { store, secrets, space, outcomeOf, writes, onEnd } = deps
  const { caller_id: callerId, request_id: requestId, process_id: processId } = row
  const ended = (answer: KeptAnswer | null): IdempotentRow => {
    const isShort = answer !== null && answer.body.length <= KEPT_LENGTH_MAX
    const isKept = isShort && space.take(accountId, answer.body.length)
    const sealed = isKept ? sealAnswer(secrets[0], callerId, name, answer) : null
    return { ...row, state: isKept ? 'answered' : 'unkept', answer: sealed }
  }
  const keep = (answer: KeptAnswer | null): Promise<void> => {
    const kept = ended(answer)
    return writes.write(kept.answer?.length ?? 0, () => store.finish(kept))
  }
  // What the books cannot answer now stays a row that runs nowhere: a repeated request asks them again.
  const endByTheBooks = (answer: KeptAnswer | null): Promise<void> => {
    let kept: IdempotentRow | null = null
    return writes.write(answer?.body.length ?? 0, async () => {
      const outcome = await outcomeOf({ callerId, requestId, processId })
      if (outcome === 'charged') await store.finish((kept ??= ended(answer)))
      if (outcome === 'free') await store.remove(row)
    })
  }
  return {
    finish: (answer) => keep(answer).finally(onEnd),
    release: () => endByTheBooks(null).finally(onEnd),
    finishFailed: (answer) => endByTheBooks(answer).finally(onEnd),
  }
}

/** Makes the one place that begins and ends such requests. */
export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  const { store, clock, secrets, processId } = deps
  /**
   * Requests that this process begins or works on, by id: known here before a row can be read, since a repetition may
   * read it before the database has said here that it is written, and until the end is written.
   */
  const running = new Map<string, RequestName>()

  /** Ends are noted as soon as the database takes them. */
  const writes = new PatientWrites(clock, KEPT_MS)

  const runOf = (row: IdempotentRow, call: IdempotentCall): IdempotentRun =>
    createRun({ ...deps, writes, onEnd: () => void running.delete(row.request_id) }, row, call)

  /** @returns 'again' where the name may be taken; null where the row that was read is another by now. */
  async function repeated(row: IdempotentRow, call: IdempotentCall, now: number): Promise<KeptAnswer | 'again' | null> {
    if (row.expires_at <= now) return 'again'
    if (row.body_hash !== hashOf(call.body)) throw reused()
    if (row.state === 'running') {
      const { caller_id: callerId, request_id: requestId } = row
      if (running.has(requestId)) throw inUse()
      const outcome = await deps.outcomeOf({ callerId, requestId, processId: row.process_id })
      if (outcome === 'open') throw inUse()
      if (outcome === 'free') return 'again'
      // The request may have ended since its row was read: then the row has its answer now.
      const latest = await store.find(row)
      if (latest?.request_id !== requestId || latest.state !== 'running') return null
    }
    const answer = row.answer === null ? null : openAnswer(secrets, row.caller_id, call.name, row.answer)
    if (answer === null) throw answerGone(row.request_id, deps.reportGone)
    return answer
  }

  let takingBack = 0
  /** A write that fails may have taken place: other processes would take its row for a request that runs here. */
  function takeBack(row: IdempotentRow): void {
    if (takingBack >= TAKING_BACK_MAX) return
    takingBack++
    const done = writes.write(0, () => store.remove(row)).catch(() => undefined)
    void done.finally(() => takingBack--)
  }

  /** Takes the name, or finds the answer that it has. */
  async function take(row: IdempotentRow, call: IdempotentCall): Promise<BegunCall> {
    const withdraw = (error: unknown): never => {
      takeBack(row)
      throw error
    }
    for (let turn = 0; turn < TURNS_MAX; turn++) {
      if (await store.insert(row).catch(withdraw)) return { kind: 'run', run: runOf(row, call) }
      const earlier = await store.find(row)
      if (earlier === null) continue
      const answer = await repeated(earlier, call, clock.earliest())
      if (answer === null) continue
      if (answer !== 'again') return { kind: 'replay', requestId: earlier.request_id, answer }
      if (await store.replace(row, earlier).catch(withdraw)) return { kind: 'run', run: runOf(row, call) }
    }
    throw inUse()
  }

  return {
    begin: async (call) => {
      const row: IdempotentRow = {
        caller_id: call.callerId,
        name_hash: hashOf(Buffer.from(`${call.endpoint}\n${call.name}`)),
        body_hash: hashOf(call.body),
        request_id: call.requestId,
        process_id: processId,
        state: 'running',
        answer: null,
        expires_at: clock.latest() + KEPT_MS,
      }
      const { caller_id: callerId, name_hash: nameHash, body_hash: bodyHash, expires_at: expiresAt } = row
      running.set(row.request_id, { callerId, nameHash, bodyHash, expiresAt })
      let begun: BegunCall | null = null
      try {
        begun = await take(row, call)
        return begun
      } finally {
        if (begun?.kind !== 'run') running.delete(row.request_id)
      }
    },
    nameOf: (requestId) => running.get(requestId) ?? null,
    removeExpired: () => store.removeExpired(clock.earliest()),
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
