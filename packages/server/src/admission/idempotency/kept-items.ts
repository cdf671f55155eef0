/**
 * What answers of the Responses API said, for clients that refer to it in their next turn instead of sending it. It is
 * sealed under a seed that is only in the ids of the items: a copy of the database reveals nothing, and prompts are not
 * kept at all. Source: decision 0049 (items that are referred to).
 */
import { createHash } from 'node:crypto'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { BelievedClock } from '../../platform/runtime/believed-clock.ts'
import { KEPT_LENGTH_MAX } from './idempotency.ts'
import type { IdempotentRequestStore, IdempotentRow } from './idempotent-request-store.ts'
import type { KeptSpace } from './kept-space.ts'
import { PatientWrites } from './patient-writes.ts'
import { openAnswer, type SealSecret, sealAnswer } from './sealed-answer.ts'

/** How long items are kept, in milliseconds. Source: decision 0049. */
const KEPT_MS = 86_400_000
/** Answers that one request can refer to, and UTF-16 units of all of them together. Source: own choice. */
export const REFERRED_ANSWERS_MAX = 512
const REFERRED_LENGTH_MAX = 16 * 1_048_576
/** Answers that are read at a time. */
const READ_AT_ONCE = 16

export interface KeptItemsDeps {
  readonly store: Pick<IdempotentRequestStore, 'insert' | 'findAll'>
  readonly clock: Pick<BelievedClock, 'latest' | 'earliest'>
  readonly processId: string
  /** The first seals; all open. */
  readonly secrets: readonly [SealSecret, ...SealSecret[]]
  /** What kept answers may take. */
  readonly space: KeptSpace
}

/** An answer whose items are kept. */
export interface KeptOutput {
  /** The account of the key: how much is kept of its answers has a limit. */
  readonly accountId: string
  readonly keyId: string
  readonly requestId: string
  /** Part of the ids of its items, made anew for each answer and written down nowhere else. */
  readonly seed: string
  /** JSON text of its items. */
  readonly output: string
}

export interface KeptItems {
  /**
   * Keeps the items of an answer for a day; one that is too long, or beyond the room of its account, is not kept. While
   * the database is away they wait in memory, where this process finds them.
   */
  keep(output: KeptOutput): Promise<void>
  /**
   * Finds what was kept for a key.
   * @returns the JSON text of the items by seed; what is not there any more is missing.
   * @throws {ServiceError} 413 when it is more than one request can refer to.
   */
  find(keyId: string, seeds: readonly string[]): Promise<ReadonlyMap<string, string>>
}

function nameOf(seed: string): string {
  return createHash('sha256').update(`response items\n${seed}`).digest('hex')
}

function tooMuch(): ServiceError {
  const message = 'The items that this request refers to are too many or too long; send the last turns alone.'
  return new ServiceError('request_too_large', message, { param: 'input' })
}

/** Makes the one place that keeps and finds items. */
export function createKeptItems({ store, clock, processId, secrets, space }: KeptItemsDeps): KeptItems {
  const writes = new PatientWrites(clock, KEPT_MS)
  /** Rows that the database has not taken yet, by the hash of their name. */
  const waiting = new Map<string, IdempotentRow>()

  async function findRows(keyId: string, names: readonly string[]): Promise<readonly IdempotentRow[]> {
    const here = names.map((name) => waiting.get(name)).filter((row) => row?.caller_id === keyId) as IdempotentRow[]
    const found = new Set(here.map(({ name_hash: name }) => name))
    const others = names.filter((name) => !found.has(name))
    return others.length === 0 ? here : [...here, ...(await store.findAll(keyId, others))]
  }

  return {
    keep: async ({ accountId, keyId, requestId, seed, output }) => {
      if (output.length > KEPT_LENGTH_MAX || !space.take(accountId, output.length)) return
      const name_hash = nameOf(seed)
      const answer = sealAnswer(secrets[0], keyId, seed, { contentType: 'application/json', headers: {}, body: output })
      const row: IdempotentRow = {
        ...{ caller_id: keyId, name_hash, body_hash: name_hash, request_id: requestId, process_id: processId },
        ...{ state: 'answered', answer, expires_at: clock.latest() + KEPT_MS },
      }
      waiting.set(name_hash, row)
      try {
        await writes.write(answer.length, () => store.insert(row))
      } finally {
        waiting.delete(name_hash)
      }
    },
    find: async (keyId, seeds) => {
      if (seeds.length > REFERRED_ANSWERS_MAX) throw tooMuch()
      const found = new Map<string, string>()
      let length = 0
      for (let at = 0; at < seeds.length; at += READ_AT_ONCE) {
        const seedOf = new Map(seeds.slice(at, at + READ_AT_ONCE).map((seed) => [nameOf(seed), seed]))
        for (const row of await findRows(keyId, [...seedOf.keys()])) {
          const seed = seedOf.get(row.name_hash) ?? ''
          const isOver = row.answer === null || row.expires_at <= clock.earliest()
          const opened = isOver ? null : openAnswer(secrets, keyId, seed, row.answer as string)
          if (opened === null) continue
          length += opened.body.length
          if (length > REFERRED_LENGTH_MAX) throw tooMuch()
          found.set(seed, opened.body)
        }
      }
      return found
    },
  }
}
