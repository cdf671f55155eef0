import type { AccountStatus, AccountStore } from './account-store.ts'

export type SetStatusResult = 'changed' | 'unchanged' | 'closed' | 'unknown_account'

/**
 * Suspends an account or lets it work again. A suspended account starts no request from the moment of the answer,
 * because the money operation that admits a request checks the status; its credits and its records stay. What runs
 * goes on with what it holds. A closed account stays as it is.
 */
export async function setAccountStatus(
  store: Pick<AccountStore, 'find' | 'setStatus'>,
  accountId: string,
  status: AccountStatus,
): Promise<SetStatusResult> {
  if (await store.setStatus(accountId, status)) return 'changed'
  const account = await store.find(accountId)
  if (account === null) return 'unknown_account'
  return account.closedAt === null ? 'unchanged' : 'closed'
}

export type { AccountStatus } from './account-store.ts'
