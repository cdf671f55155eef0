import { nanocreditsOf } from '@svc/contract/credits'
import { AMOUNT_MAX } from './hold-size.ts'
import type { CreditDeposit, CreditDepositResult } from './credit-operations.ts'
import type { FaultResult } from './operations.ts'
import { bookCredit, findBalance, findDeposit, findInflow, type BatchRows } from './sqlite-batch-rows.ts'
import type { BalanceRow, DepositRow } from './sqlite-ledger-rows.ts'

/**
 * Credits a recorded deposit by what its own row says, and never more for its address than came to it. The PostgreSQL
 * function `ledger_deposit` decides the same.
 */
export function creditDeposit(rows: BatchRows, operation: CreditDeposit): CreditDepositResult | FaultResult {
  const deposit = findDeposit(rows, operation)
  const balance = deposit === null ? null : findBalance(rows, deposit.accountId)
  if (deposit === null || balance === null) return { kind: 'unknown_deposit' }
  const { depositId, accountId, credits, state } = deposit
  if (state === 'credited') return depositedOf(deposit, balance, true)
  if (state !== 'confirming' || deposit.blockHash !== operation.blockHash || credits !== operation.amount) {
    return { kind: 'not_creditable', state }
  }
  const { inflow } = operation
  const { chainId, address, rawAmount } = deposit
  if (inflow === null && rows.store.isDepositAddress(chainId, address)) {
    return { kind: 'fault', message: 'what came to an address of ours is not known' }
  }
  const came = inflow === null ? null : findInflow(rows, deposit)
  if (inflow !== null && came !== null && came.credited + rawAmount > inflow.amount) {
    return { kind: 'exceeds_inflow', inflow: inflow.amount, credited: came.credited }
  }
  if (balance.posted + credits > AMOUNT_MAX) return { kind: 'fault', message: 'a balance cannot be that large' }
  balance.posted += credits
  balance.isChanged = true
  deposit.state = 'credited'
  deposit.creditedAt = operation.now
  const { reason, now } = operation
  if (inflow !== null && came !== null) {
    const credited = came.credited + rawAmount
    Object.assign(came, {
      ...{ inflow: inflow.amount, blockNumber: inflow.blockNumber, credited },
      revision: depositId,
    })
    came.checkedAt = now
  }
  bookCredit(rows, { transferId: depositId, accountId, kind: 'deposit', amount: credits, reason, createdAt: now })
  return depositedOf(deposit, balance, false)
}

function depositedOf(deposit: DepositRow, { posted }: BalanceRow, isRepeated: boolean): CreditDepositResult {
  return {
    kind: 'deposited',
    depositId: deposit.depositId,
    accountId: deposit.accountId,
    credits: nanocreditsOf(deposit.credits ?? 0n),
    posted: nanocreditsOf(posted),
    isRepeated,
  }
}
