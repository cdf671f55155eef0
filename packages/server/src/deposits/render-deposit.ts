import { creditsJson, decimalJson, type DepositBody, type Nanocredits, type Printed, usdJson } from '@svc/contract'
import { formatAmount } from '../chain/format-amount.ts'
import type { Deposit } from './deposit.ts'

/** The id as clients see it. */
export function renderDepositId(depositId: string): string {
  return `dep_${depositId}`
}

/** What a deposit is worth, as both of its fields; null until it is known. */
export function renderWorth(credits: Nanocredits | null): Pick<Printed<DepositBody>, 'credits' | 'amount_usd'> {
  if (credits === null) return { credits: null, amount_usd: null }
  return { credits: creditsJson(credits), amount_usd: usdJson(credits) }
}

/** The price by which it was valued, and its time. */
export function renderPrice({
  price,
  priceTime,
}: Pick<Deposit, 'price' | 'priceTime'>): Pick<Printed<DepositBody>, 'price_usd' | 'priced_at'> {
  return {
    price_usd: price === null ? null : decimalJson(price),
    priced_at: priceTime === null ? null : secondsOf(priceTime),
  }
}

/** A deposit as `GET /deposits` shows it. */
export function renderDeposit(deposit: Deposit): Printed<DepositBody> {
  const { state, reason, finalAt, creditedAt } = deposit
  return {
    object: 'deposit',
    id: renderDepositId(deposit.depositId),
    status: state,
    reason,
    credited: state === 'credited',
    ...renderWorth(deposit.credits),
    txHash: deposit.txHash,
    chainId: deposit.chainId,
    asset: deposit.asset,
    amount: formatAmount(deposit.amount, deposit.asset),
    ...renderPrice(deposit),
    address: deposit.address,
    block_number: deposit.blockNumber,
    created: secondsOf(deposit.seenAt),
    final_at: finalAt === null ? null : secondsOf(finalAt),
    credited_at: creditedAt === null ? null : secondsOf(creditedAt),
  }
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1_000)
}
