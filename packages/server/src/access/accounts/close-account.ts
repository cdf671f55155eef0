import type { Clock } from '../../platform/runtime/clock.ts'
import type { AccountStore } from './account-store.ts'

export type CloseAccountResult = 'closed' | 'already_closed' | 'unknown_account'

export interface CloseAccountDeps {
  readonly store: Pick<AccountStore, 'find' | 'close'>
  /** Revokes every key of an account; what runs with them ends. */
  readonly revokeKeys: (accountId: string) => Promise<void>
  readonly clock: Clock
}

/**
 * Closes an account for good: it is suspended and its keys are revoked. Its credits and records stay, since credits
 * never expire; what is owed back is paid outside and taken off by an adjustment. Repeating it ends keys that were made
 * in the moment of the first time.
 */
export async function closeAccount(deps: CloseAccountDeps, accountId: string): Promise<CloseAccountResult> {
  const { store, revokeKeys, clock } = deps
  const isClosed = await store.close(accountId, clock.now())
  if (!isClosed && (await store.find(accountId)) === null) return 'unknown_account'
  await revokeKeys(accountId)
  return isClosed ? 'closed' : 'already_closed'
}

export type { AccountStore } from './account-store.ts'
