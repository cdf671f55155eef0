import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { AccountPage, AccountRecord, AccountStatus, AccountStore, TeamRecord } from './account-store.ts'

/** Accounts on one page at most. */
export const ACCOUNT_PAGE_MAX = 200

export interface AccountSummary {
  readonly accountId: string
  readonly name: string
  readonly status: AccountStatus
  readonly createdAt: number
  /** Null for an account that was not closed. */
  readonly closedAt: number | null
  /** The balance, holds included. */
  readonly posted: Nanocredits
  readonly held: Nanocredits
}

export interface AccountDetails extends AccountSummary {
  /** Oldest first; the first came with the account. */
  readonly teams: readonly TeamRecord[]
}

/** Lists accounts newest first, at most `ACCOUNT_PAGE_MAX`. */
export async function listAccounts(
  store: Pick<AccountStore, 'list'>,
  page: AccountPage,
): Promise<readonly AccountSummary[]> {
  const records = await store.list({ ...page, limit: Math.min(page.limit, ACCOUNT_PAGE_MAX) })
  return records.map(summaryOf)
}

/** Finds an account with its teams; null when there is none. */
export async function findAccount(
  store: Pick<AccountStore, 'find' | 'listTeams'>,
  accountId: string,
): Promise<AccountDetails | null> {
  const record = await store.find(accountId)
  return record === null ? null : { ...summaryOf(record), teams: await store.listTeams(accountId) }
}

function summaryOf({ posted, held, ...record }: AccountRecord): AccountSummary {
  return { ...record, posted: nanocreditsOf(posted), held: nanocreditsOf(held) }
}

export type { AccountPage } from './account-store.ts'
