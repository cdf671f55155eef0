/**
 * What answers in the form of Responses said, for clients that name it in their next turn in place of sending it. It is
 * sealed under a seed that stands in the ids of the items alone: who has the database reads nothing, and what was asked
 * is not kept at all. Source: decision 0049 (items that are referred to).
 */
import { createHash } from 'node:crypto'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { KeepingClock } from '../../platform/runtime/keeping-clock.ts'
import { KEPT_LENGTH_MAX } from './idempotency.ts'
import type { IdempotentRequestStore } from './idempotent-request-store.ts'
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
  readonly clock: Pick<KeepingClock, 'latest' | 'earliest'>
  readonly processId: string
  /** The first seals; all open. */
  readonly secrets: readonly [SealSecret, ...SealSecret[]]
}

/** An answer whose items are kept. */
export interface KeptOutput {
  readonly keyId: string
  readonly requestId: string
  /** Part of the ids of its items, made anew for each answer and written down nowhere else. */
  readonly seed: string
  /** JSON text of its items. */
  readonly output: string
}

export interface KeptItems {
  /** Keeps the items of an answer for a day; one that is too long is not kept. */
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
export function createKeptItems({ store, clock, processId, secrets }: KeptItemsDeps): KeptItems {
  return {
    keep: async ({ keyId, requestId, seed, output }) => {
      if (output.length > KEPT_LENGTH_MAX) return
      const name_hash = nameOf(seed)
      const answer = sealAnswer(secrets[0], keyId, seed, { contentType: 'application/json', headers: {}, body: output })
      await store.insert({
        ...{ caller_id: keyId, name_hash, body_hash: name_hash, request_id: requestId, process_id: processId },
        ...{ state: 'answered', answer, expires_at: clock.latest() + KEPT_MS },
      })
    },
    find: async (keyId, seeds) => {
      if (seeds.length > REFERRED_ANSWERS_MAX) throw tooMuch()
      const found = new Map<string, string>()
      let length = 0
      for (let at = 0; at < seeds.length; at += READ_AT_ONCE) {
        const seedOf = new Map(seeds.slice(at, at + READ_AT_ONCE).map((seed) => [nameOf(seed), seed]))
        for (const row of await store.findAll(keyId, [...seedOf.keys()])) {
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
