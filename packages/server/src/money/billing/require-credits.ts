import { nanocreditsOf, type UsageType, ZERO } from '@svc/contract'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import type { BalanceStore } from './balance-store.ts'
import { insufficientCredits } from './insufficient-credits.ts'

/**
 * Refuses an account that has nothing to spend, before work is done for it. Decides nothing about money: that is the
 * hold's part.
 *
 * @throws {ServiceError} `insufficient_credits` when nothing is available.
 */
export async function requireCredits(
  deps: { readonly balance: BalanceStore; readonly consoleUrl: () => string },
  caller: Pick<Caller, 'accountId' | 'teamId' | 'keyId'>,
  type: UsageType,
): Promise<void> {
  const balance = await deps.balance.findBalance(caller.accountId)
  if (balance === null) throw new InvariantError(`account ${caller.accountId} has no balance row`)
  if (balance.posted - balance.held > 0n) return
  const nothing = { kind: 'insufficient', limit: 'account', available: ZERO, affordableUnits: 0 } as const
  throw insufficientCredits(
    { ...nothing, required: nanocreditsOf(1n) },
    { consoleUrl: deps.consoleUrl(), caller, type },
  )
}
