import type { ChainId, Hex } from '../chain/assets.ts'
import { ChainUnavailableError, RpcRefusalError } from '../chain/chain-unavailable.ts'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import type { SettleDeps } from './settle-deps.ts'
import { settleTransaction, type TransactionOutcome } from './settle-transaction.ts'

export interface GuardedDeps extends SettleDeps {
  /** Called with a mistake about one transaction; the round goes on with the others. */
  readonly onMistake: (error: unknown, txHash: Hex) => void
}

/** What became of one transaction of many; `mistaken` where our own code was wrong about it. */
export type Settled = TransactionOutcome['kind'] | 'mistaken'

/** Transactions that are looked at side by side: each asks several things, one after the other. Source: own choice. */
export const AT_ONCE = 4

/** Whether a transaction that was shown has been looked at, whatever came of it. */
export function isRead(outcome: Settled): boolean {
  return outcome !== 'unavailable' && outcome !== 'unknown' && outcome !== 'unmined' && outcome !== 'displaced'
}

/** A mistake about one transaction, of whatever kind, must not keep the deposits of all others waiting. */
export async function settleGuarded(deps: GuardedDeps, chainId: ChainId, txHash: Hex): Promise<Settled> {
  try {
    return (await settleTransaction(deps, { chainId, txHash, accountId: null })).kind
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error
    deps.onMistake(error, txHash)
    return 'mistaken'
  }
}

/** Looks at transactions side by side. Waits for all, also where one fails: nothing goes on behind a round's back. */
export async function settleTogether(
  deps: GuardedDeps,
  chainId: ChainId,
  hashes: readonly Hex[],
): Promise<readonly Settled[]> {
  const works = await Promise.allSettled(hashes.map((txHash) => settleGuarded(deps, chainId, txHash)))
  return works.map((work) => {
    if (work.status === 'rejected') throw work.reason
    return work.value
  })
}

/** Does work about one thing of many. @returns false where it failed by itself, which keeps nothing else waiting. */
export async function guarded(
  { onMistake }: Pick<GuardedDeps, 'onMistake'>,
  name: Hex,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof InvariantError) onMistake(error, name)
    else if (!(error instanceof ChainUnavailableError) && !(error instanceof RpcRefusalError)) throw error
    return false
  }
}
