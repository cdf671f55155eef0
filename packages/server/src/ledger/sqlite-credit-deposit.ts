import { nanocreditsOf } from '@svc/contract/credits'
import { AMOUNT_MAX } from './hold-size.ts'
import type { CreditDeposit, CreditDepositResult, FaultResult } from './operations.ts'
import { findBalance, findDeposit, type BatchRows } from './sqlite-batch-rows.ts'
import type { BalanceRow, DepositRow } from './sqlite-ledger-rows.ts'

/** Credits a recorded deposit by what its own row says. The PostgreSQL function `ledger_deposit` decides the same. */
export function creditDeposit(rows: BatchRows, operation: CreditDeposit): CreditDepositResult | FaultResult {
  const deposit = findDeposit(rows, operation)
  const balance = deposit === null ? null : findBalance(rows, deposit.accountId)
  if (deposit === null || balance === null) return { kind: 'unknown_deposit' }
  const { depositId, accountId, credits, state } = deposit
  if (state === 'credited') return depositedOf(deposit, balance, true)
  if (state !== 'confirming' || deposit.blockHash !== operation.blockHash || credits !== operation.amount) {
    return { kind: 'not_creditable', state }
  }
  if (balance.posted + credits > AMOUNT_MAX) return { kind: 'fault', message: 'a balance cannot be that large' }
  balance.posted += credits
  balance.isChanged = true
  deposit.state = 'credited'
  deposit.creditedAt = operation.now
  const { reason, now } = operation
  rows.credits.set(depositId, {
    ...{ transferId: depositId, accountId, kind: 'deposit', amount: credits, reason, createdAt: now },
  })
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
