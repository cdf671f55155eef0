/** The limits that processes share, in the tables of migration 0022. Every statement is a transaction by itself. */
import { beginWithin } from '../../platform/db/postgres-limits.ts'
import type { PostgresPool } from '../../platform/db/postgres-pool.ts'
import type { HandAnswer, HandQuestion } from './local-token-lease.ts'

/** A question about one caller's bucket. */
export type BucketQuestion = HandQuestion & { readonly kind: string; readonly caller: string }

/** A question about one caller's streams. */
export interface SlotQuestion {
  readonly caller: string
  /** Streams that this process has open. */
  readonly open: number
  /** Streams that wait to begin. */
  readonly want: number
  /** What all processes together may have open. */
  readonly most: number
}

export interface LimitStore {
  /** Answers in the order of the questions; null for a bucket that was removed meanwhile: ask again. */
  takeTokens(questions: readonly BucketQuestion[], now: number): Promise<readonly (HandAnswer | null)[]>
  /**
   * How many of the streams that wait may begin, in the order of the questions.
   * @param gone processes whose streams count no more.
   */
  takeSlots(
    questions: readonly SlotQuestion[],
    processId: string,
    gone: ReadonlySet<string>,
  ): Promise<readonly number[]>
  /**
   * Decides about a rare call while no other process does for the same caller.
   *
   * @param decide is given the times of the calls so far, oldest first, and answers those to keep; null to keep them.
   */
  takeCall(
    place: { readonly kind: string; readonly caller: string },
    now: number,
    decide: (calls: readonly number[]) => readonly number[] | null,
  ): Promise<void>
  /** Removes what says nothing any more, and the streams of processes that are gone. */
  forget(now: number, gone: ReadonlySet<string>): Promise<void>
  /** Asks for nothing. */
  probe(): Promise<void>
}

const NANOS_PER_MS = 1_000_000

/** The shared limits on PostgreSQL. */
export function createLimitStore(pool: PostgresPool): LimitStore {
  /** What a function answers to each question, in their order; null for none. */
  const askEach = async (
    text: string,
    questions: readonly object[],
    more: readonly unknown[],
  ): Promise<readonly (readonly number[] | null)[]> => {
    const asked = JSON.stringify(questions.map((question, place) => ({ ...question, place })))
    const { rows } = await pool.query<{ answer: string }>(text, [asked, ...more])
    // The functions are part of our own schema; their answers are lists of numbers, the question's place first.
    const answers = JSON.parse(rows[0]?.answer ?? '[]') as readonly (readonly number[])[]
    const byPlace = new Map(answers.map(([place, ...answer]) => [place, answer]))
    return questions.map((_, place) => byPlace.get(place) ?? null)
  }
  return {
    async takeTokens(questions, now) {
      const rows = await askEach('select rate_take($1::jsonb, $2) as answer', questions, [now])
      return rows.map((row) => {
        if (row === null) return null
        const [granted = 0, ahead = 0, seenAt = 0, missing = 0] = row
        return { granted, ahead, seenAt, fullInMs: missing / NANOS_PER_MS }
      })
    },
    async takeSlots(questions, processId, gone) {
      const text = 'select stream_slots_take($1::jsonb, $2, $3::text[]) as answer'
      const rows = await askEach(text, questions, [processId, [...gone]])
      return rows.map((row) => row?.[0] ?? 0)
    },
    takeCall: (place, now, decide) => takeCall(pool, { ...place, now }, decide),
    async forget(now, gone) {
      await pool.query('select limits_forget($1, $2::text[])', [now, [...gone]])
    },
    async probe() {
      await pool.query('select 1')
    },
  }
}

/** Makes the row where there is none, and locks it. */
const LOCK_CALLS = `
  insert into rare_call as r (kind, caller, called_at, last_at) values ($1, $2, '{}', $3)
  on conflict (kind, caller) do update set last_at = r.last_at
  returning called_at`
const KEEP_CALLS = 'update rare_call set called_at = $3, last_at = $4 where kind = $1 and caller = $2'

async function takeCall(
  pool: PostgresPool,
  { kind, caller, now }: { readonly kind: string; readonly caller: string; readonly now: number },
  decide: (calls: readonly number[]) => readonly number[] | null,
): Promise<void> {
  const client = await pool.connect()
  let isBroken = true
  try {
    await client.query(beginWithin(pool.limits))
    const { rows } = await client.query<{ called_at: readonly (bigint | string)[] }>(LOCK_CALLS, [kind, caller, now])
    const kept = decide((rows[0]?.called_at ?? []).map(Number))
    if (kept !== null) await client.query(KEEP_CALLS, [kind, caller, kept, now])
    await client.query('commit')
    isBroken = false
  } finally {
    // A connection whose transaction did not end is closed, which ends it.
    client.release(isBroken)
  }
}
