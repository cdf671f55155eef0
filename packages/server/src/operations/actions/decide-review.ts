import { decideDeposit, type DecideDepositResult, type DepositVerdictRequest } from '../../deposits/decide-deposit.ts'
import { keepJournal, type Operator } from '../../access/operators/journal.ts'
import type { OperationsDeps, Writing } from './operations-deps.ts'

/** Releases or rejects a deposit, with an entry in the journal. */
export async function decideReview(
  deps: Pick<OperationsDeps, 'deposits' | 'journal' | 'clock'> & Writing<'decisions'>,
  by: Operator,
  request: DepositVerdictRequest,
): Promise<DecideDepositResult> {
  const { depositId, decision, reason, price } = request
  const deposit = await deps.deposits.find(depositId)
  if (deposit === null) return { kind: 'unknown_deposit' }
  return keepJournal(
    deps,
    by,
    {
      action: decision === 'release' ? 'deposit.release' : 'deposit.reject',
      ...{ accountId: deposit.accountId, subject: depositId, reason },
      details: { chain_id: deposit.chainId, tx_hash: deposit.txHash, ordinal: deposit.ordinal, price_usd: price },
    },
    {
      work: () => decideDeposit({ ...deps, ...deps.writesOf(by), operator: by.name }, request),
      outcomeOf: ({ kind }) => (kind === 'decided' ? 'done' : kind === 'repeated' ? 'unchanged' : 'refused'),
    },
  )
}
