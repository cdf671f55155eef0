import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import type { BalanceStore } from './balance-store.ts'

/** Refuses free work for a suspended account: work that is paid for is refused by its hold. @throws {ServiceError} 403. */
export async function requireActive(
  balance: Pick<BalanceStore, 'isActive'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<void> {
  if (await balance.isActive(accountId)) return
  throw new ServiceError('account_suspended', 'This account is suspended.')
}
