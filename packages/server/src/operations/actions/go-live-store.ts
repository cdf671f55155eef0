import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

/** What is still under way in a store, and would be cut off. */
export interface OpenWork {
  readonly holds: number
  /** Video jobs that are not settled. */
  readonly jobs: number
}

export interface TestBalance {
  readonly accountId: string
  readonly posted: bigint
}

export interface GoLiveStore {
  countOpenWork(): Promise<OpenWork>
  /** Accounts that have credits, at most `PAGE`; empty once none has. */
  listBalances(): Promise<readonly TestBalance[]>
  /**
   * Ends every key, session and operator, the demo user, deposits that wait, and what was read of the sandbox's chains;
   * the store is live from then on. All or nothing. @returns how many keys ended.
   */
  endTestMode(demoEmail: string, now: number): Promise<number>
}

const PAGE = 200

/** Makes the store of what a store of test money has to end before it goes live. */
export function createGoLiveStore(database: Database): GoLiveStore {
  const { read } = database
  return {
    async countOpenWork() {
      const [holds, jobs] = await Promise.all([
        read
          .selectFrom('hold')
          .select((count) => count.fn.countAll<number>().as('open'))
          .where('state', '=', 'held')
          .executeTakeFirstOrThrow(),
        read
          .selectFrom('video_job')
          .select((count) => count.fn.countAll<number>().as('open'))
          .where('settled_at', 'is', null)
          .executeTakeFirstOrThrow(),
      ])
      return { holds: Number(holds.open), jobs: Number(jobs.open) }
    },
    listBalances() {
      return read
        .selectFrom('balance')
        .select(['account_id as accountId', 'posted'])
        .where('posted', '>', 0n)
        .orderBy('account_id')
        .limit(PAGE)
        .execute()
    },
    async endTestMode(demoEmail, now) {
      const [keys] = await database.write([
        read.updateTable('api_key').set({ revoked_at: now }).where('revoked_at', 'is', null).compile(),
        sql`delete from sign_in_session`.compile(read),
        read.deleteFrom('operator').compile(),
        read.deleteFrom('sign_in_user').where('email', '=', demoEmail).compile(),
        read
          .updateTable('deposit')
          .set({ state: 'rejected', reason: null, note: 'Test money of the sandbox.', updated_at: now })
          .where('state', 'in', ['seen', 'confirming', 'under_review'])
          .compile(),
        read
          .insertInto('retired_address')
          .columns(['chain_id', 'address', 'retired_at'])
          .expression(
            // SQLite takes `on conflict` behind a condition alone.
            read
              .selectFrom('deposit_address')
              .select(['chain_id', 'address', sql<number>`${sql.lit(now)}`.as('at')])
              .where('chain_id', '>', 0),
          )
          .onConflict((conflict) => conflict.doNothing())
          .compile(),
        read.deleteFrom('chain_cursor').compile(),
        read.deleteFrom('chain_fact').compile(),
        read.updateTable('store_kind').set({ kind: 'live', stamped_at: now }).compile(),
      ])
      return keys ?? 0
    },
  }
}
