import type { Caller } from '../access/keys/caller.ts'
import type { RouteKit } from '../edge/route-kit.ts'
import { requireActive } from '../money/billing/require-active.ts'
import { requireCredits } from '../money/billing/require-credits.ts'

/**
 * Refuses room and work for later to who could not use it: a suspended account, or one without credits. Decides nothing
 * about money: that is the part of each hold.
 *
 * @throws {ServiceError} `account_suspended`, `insufficient_credits`.
 */
export async function requireStanding(
  { balance, consoleUrl }: Pick<RouteKit, 'balance' | 'consoleUrl'>,
  caller: Pick<Caller, 'accountId' | 'teamId' | 'keyId'>,
): Promise<void> {
  await requireActive(balance.store, caller)
  await requireCredits({ balance: balance.store, consoleUrl }, caller, 'chat')
}
