import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

export interface PasswordAttemptStore {
  /**
   * Counts an attempt as a failure before it is made, unless the name has to wait.
   *
   * @param delays what to wait after the first failure, the second, and so on, in milliseconds; the last is for all
   *   that follow.
   * @returns null when it may be made; else until when to wait.
   */
  take(nameHash: string, delays: readonly [number, ...number[]], now: number): Promise<number | null>
  /** Forgets the failures of a name. */
  clear(nameHash: string): Promise<void>
}

/** Failures are forgotten after a day without any. Source: own choice. */
const KEPT_MS = 86_400_000

/** Makes the store of failed passwords: processes that share a database count together. */
export function createPasswordAttemptStore(database: Database): PasswordAttemptStore {
  const { read } = database
  return {
    async take(nameHash, delays, now) {
      const longest = Math.max(...delays)
      const forget = read.deleteFrom('sign_in_attempt').where('last_at', '<', now - KEPT_MS)
      const row = { name_hash: nameHash, failures: 1, wait_until: endAfter(delays[0], now), last_at: now }
      const count = read
        .insertInto('sign_in_attempt')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column('name_hash')
            .doUpdateSet({
              failures: sql<number>`sign_in_attempt.failures + 1`,
              wait_until: waitAfter(delays, now),
              last_at: now,
            })
            // A wait that lies further ahead than any can was written by a clock that was wrong.
            .where((where) =>
              where.or([
                where('sign_in_attempt.wait_until', '<=', now),
                where('sign_in_attempt.wait_until', '>', now + longest),
              ]),
            ),
        )
      const [, counted] = await database.write([forget.compile(), count.compile()])
      if (counted === 1) return null
      const found = await read
        .selectFrom('sign_in_attempt')
        .select('wait_until')
        .where('name_hash', '=', nameHash)
        .executeTakeFirst()
      return found?.wait_until ?? now
    },
    async clear(nameHash) {
      await database.write([read.deleteFrom('sign_in_attempt').where('name_hash', '=', nameHash).compile()])
    },
  }
}

/** No delay is no end: of two attempts at the same moment the one with the later clock may be counted first. */
function endAfter(delay: number, now: number): number {
  return delay === 0 ? 0 : now + delay
}

/** The end of the wait after the failure that is counted now, by how many there were before. */
function waitAfter(delays: readonly number[], now: number) {
  const last = delays.length - 1
  const end = (delay: number) => sql`cast(${endAfter(delay, now)} as bigint)`
  const cases = delays.slice(1, last).map((delay, at) => sql`when ${sql.lit(at + 1)} then ${end(delay)}`)
  return sql<number>`case sign_in_attempt.failures ${sql.join(cases, sql` `)} else ${end(delays[last] ?? 0)} end`
}
