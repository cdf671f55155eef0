import { nanocreditsOf } from '@svc/contract'
import type { CreditDepositResult, FinalInflow } from '../money/ledger/credit-operations.ts'
import type { Ledger } from '../money/ledger/ledger.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Deposit } from './deposit.ts'

export interface CreditDepositDeps {
  readonly ledger: Pick<Ledger, 'submit'>
  readonly clock: Clock
}

/**
 * Turns a deposit that is final and priced into credits: the transfer, the balance and the deposit's state in one
 * transaction, once however often and from however many processes it is asked for.
 *
 * @param deposit as it was read; what its row says when the ledger looks decides.
 * @param inflow all that came to its address; null where that says nothing, as of a treasury.
 * @throws {ServiceError} `server_is_overloaded` when the ledger cannot be reached; then the outcome is unknown and this
 * may be called again.
 */
export async function creditDeposit(
  { ledger, clock }: CreditDepositDeps,
  deposit: Deposit,
  inflow: FinalInflow | null,
): Promise<CreditDepositResult> {
  const { chainId, txHash, ordinal, blockHash } = deposit
  return ledger.submit({
    kind: 'deposit',
    ...{ chainId, txHash, ordinal, blockHash },
    amount: deposit.credits ?? nanocreditsOf(0n),
    inflow,
    reason: `Deposit of ${deposit.asset} on chain ${chainId}, transaction ${txHash}`,
    now: clock.now(),
  })
}
