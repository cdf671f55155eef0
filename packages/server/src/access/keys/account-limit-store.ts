import type { Database } from '../../platform/db/database.ts'
import { type SetLimits, NO_LIMITS_SET } from './request-limits.ts'

export interface AccountLimitStore {
  /** What is set for an account; nothing for one that has no row. */
  find(accountId: string): Promise<SetLimits>
  /** How many accounts have each limit set for themselves. */
  countOwn(): Promise<Readonly<Record<keyof SetLimits, number>>>
  /** Sets what is named and leaves the rest; null takes a limit away. */
  set(accountId: string, change: Partial<SetLimits>, now: number): Promise<void>
}

/** Makes the store of the limits that operators set for accounts. */
export function createAccountLimitStore(database: Database): AccountLimitStore {
  const { read } = database
  return {
    async find(accountId) {
      const row = await read
        .selectFrom('account_limit')
        .select([
          'requests_per_minute as requestsPerMinute',
          'account_requests_per_minute as accountRequestsPerMinute',
          'streams_at_once as streamsAtOnce',
        ])
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row ?? NO_LIMITS_SET
    },
    async countOwn() {
      const { fn } = read
      const row = await read
        .selectFrom('account_limit')
        .select([
          fn.count<number | string>('requests_per_minute').as('requestsPerMinute'),
          fn.count<number | string>('account_requests_per_minute').as('accountRequestsPerMinute'),
          fn.count<number | string>('streams_at_once').as('streamsAtOnce'),
        ])
        .executeTakeFirstOrThrow()
      return {
        requestsPerMinute: Number(row.requestsPerMinute),
        accountRequestsPerMinute: Number(row.accountRequestsPerMinute),
        streamsAtOnce: Number(row.streamsAtOnce),
      }
    },
    async set(accountId, change, now) {
      const { requestsPerMinute: key, accountRequestsPerMinute: account, streamsAtOnce: streams } = change
      const set = {
        ...(key === undefined ? {} : { requests_per_minute: key }),
        ...(account === undefined ? {} : { account_requests_per_minute: account }),
        ...(streams === undefined ? {} : { streams_at_once: streams }),
        changed_at: now,
      }
      const unset = { requests_per_minute: null, account_requests_per_minute: null, streams_at_once: null }
      const statement = read
        .insertInto('account_limit')
        .values({ account_id: accountId, ...unset, ...set })
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet(set))
      await database.write([statement.compile()])
    },
  }
}
