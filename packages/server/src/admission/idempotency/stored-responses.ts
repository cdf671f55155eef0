/**
 * Responses that a team has asked to keep: what was asked and what was answered, for later requests that refer to it by
 * its id. Each is sealed under a secret of the deployment that is not in the database, for its team and its id alone.
 * Source: decision 0122 (stored responses).
 */
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { BelievedClock } from '../../platform/runtime/believed-clock.ts'
import type { KeptSpace } from './kept-space.ts'
import { openAnswer, type SealSecret, sealAnswer } from './sealed-answer.ts'
import type { StoredResponseStore, StoredRoom } from './stored-response-store.ts'

const DAY_MS = 86_400_000
/** How long a response is kept, in milliseconds. Source: OpenAI, "Conversation state": 30 days. */
export const STORED_MS = 30 * DAY_MS
/** Longest response that is kept, with what was asked, in UTF-16 units. Source: own choice. */
export const STORED_LENGTH_MAX = 4 * 1_048_576
/** What one team keeps: of more, the oldest go. Source: own choice. */
export const STORED_ROOM: StoredRoom = { rows: 10_000, length: 256 * 1_048_576 }
/** What one team may store in a day, in UTF-16 units. Source: own choice. */
export const STORED_A_DAY = 128 * 1_048_576
/** Turns that one request can refer to, and UTF-16 units of all of them. Source: own choice. */
export const TURNS_MAX = 256
const TURNS_LENGTH_MAX = 16 * 1_048_576

type Fields = Readonly<Record<string, unknown>>

/** One turn of a conversation. */
export interface StoredResponse {
  /** The items of the request itself, without those of the turns before. */
  readonly input: readonly Fields[]
  /** The object as its client got it. */
  readonly response: Fields
  /** The id of the turn before; null for the first. */
  readonly previous: string | null
}

export interface StoredResponsesDeps {
  readonly store: StoredResponseStore
  readonly clock: Pick<BelievedClock, 'latest' | 'earliest'>
  /** The first seals; all open. */
  readonly secrets: readonly [SealSecret, ...SealSecret[]]
  /** What a team may store in a day. */
  readonly space: KeptSpace
}

export interface StoredResponses {
  /**
   * Keeps a response; one that is too long, or beyond the day's room of its team, is not kept.
   * @throws where the database is away, or the team stores no longer.
   */
  keep(teamId: string, id: string, stored: StoredResponse): Promise<void>
  /** @returns null for one that is not there, or not any more, or another team's. */
  find(teamId: string, id: string): Promise<StoredResponse | null>
  /**
   * The turns of a conversation up to one of them, the first one first; null where one of them is not there any more.
   * @throws {ServiceError} 413 when they are more than one request can refer to.
   */
  findTurns(teamId: string, id: string): Promise<readonly StoredResponse[] | null>
  /** @returns false where there is none. */
  remove(teamId: string, id: string): Promise<boolean>
  /** Forgets what is too old, or more than a team may keep. */
  tidy(): Promise<void>
}

function tooLong(): ServiceError {
  const message = 'The conversation is too long to go on with; send its last turns in `input`.'
  return new ServiceError('request_too_large', message, { param: 'previous_response_id' })
}

/** Makes the one place that keeps and finds responses. */
export function createStoredResponses({ store, clock, secrets, space }: StoredResponsesDeps): StoredResponses {
  async function findText(teamId: string, id: string): Promise<string | null> {
    const row = await store.find({ team_id: teamId, response_id: id })
    if (row === null || row.expires_at <= clock.earliest()) return null
    return openAnswer(secrets, teamId, id, row.sealed)?.body ?? null
  }

  async function find(teamId: string, id: string): Promise<StoredResponse | null> {
    const text = await findText(teamId, id)
    return text === null ? null : (JSON.parse(text) as StoredResponse)
  }

  return {
    find,
    async keep(teamId, id, stored) {
      const body = JSON.stringify(stored)
      if (body.length > STORED_LENGTH_MAX || !space.take(teamId, body.length)) return
      const sealed = sealAnswer(secrets[0], teamId, id, { contentType: 'application/json', headers: {}, body })
      const now = clock.latest()
      await store.insert({
        ...{ team_id: teamId, response_id: id, sealed, length: sealed.length },
        ...{ created_at: now, expires_at: now + STORED_MS },
      })
    },
    async findTurns(teamId, id) {
      const turns: StoredResponse[] = []
      let length = 0
      for (let next: string | null = id; next !== null;) {
        const text = await findText(teamId, next)
        if (text === null) return null
        length += text.length
        if (length > TURNS_LENGTH_MAX || turns.length === TURNS_MAX) throw tooLong()
        const turn = JSON.parse(text) as StoredResponse
        turns.push(turn)
        next = turn.previous
      }
      return turns.toReversed()
    },
    remove: (teamId, id) => store.remove({ team_id: teamId, response_id: id }),
    async tidy() {
      await store.removeExpired(clock.earliest())
      await store.removeBeyond(STORED_ROOM)
    },
  }
}
