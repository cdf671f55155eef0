import type { AccountStatus, AccountStore } from './account-store.ts'

export type SetStatusResult = 'changed' | 'unchanged' | 'unknown_account'

/**
 * Suspends an account or lets it work again. A suspended account starts no request from the moment of the answer,
 * because the money operation that admits a request checks the status; its credits and its records stay.
 */
export async function setAccountStatus(
  store: Pick<AccountStore, 'find' | 'setStatus'>,
  accountId: string,
  status: AccountStatus,
): Promise<SetStatusResult> {
  if (await store.setStatus(accountId, status)) return 'changed'
  return (await store.find(accountId)) === null ? 'unknown_account' : 'unchanged'
}

export type { AccountStatus } from './account-store.ts'
