import type { Hex } from '../chain/assets.ts'
import type { Deposit } from './deposit.ts'
import type { SeenDeposit } from './record-statement.ts'

/** A deposit that the balance of an address made, and was not taken back. */
export interface BalanceDeposit extends Pick<Deposit, 'depositId' | 'amount' | 'blockNumber' | 'blockHash'> {
  /** Whether it was credited, rejected or released: then nothing of it can become another deposit. */
  readonly isDecided: boolean
  /** What of it has been matched with transactions; smallest units. */
  readonly matched: bigint
}

/** A payment that is already recorded. */
export type RecordedPayment = Pick<Deposit, 'txHash' | 'ordinal' | 'amount' | 'state' | 'blockHash'>

/** What is recorded for one address so far. */
export interface AddressBooks {
  /** Lowest block first. */
  readonly balances: readonly BalanceDeposit[]
  /** Those among the payments that are deposits of their own already. */
  readonly recorded: readonly RecordedPayment[]
  /** Those that are part of a deposit by balance. */
  readonly matched: readonly { readonly txHash: Hex; readonly ordinal: string }[]
}

/** What becomes of the payments of a transaction to one address. */
export interface RecordingPlan {
  /** Deposits of their own. */
  readonly record: readonly SeenDeposit[]
  /** Parts of deposits that the balance had made before. */
  readonly match: readonly { readonly payment: SeenDeposit; readonly deposit: BalanceDeposit }[]
  /** Deposits by balance that shrink to an amount, since transactions explain the rest; 0 ends one. */
  readonly shrink: readonly { readonly deposit: BalanceDeposit; readonly amount: bigint }[]
}

/**
 * Says what becomes of payments in ETH that transactions show. Pure.
 *
 * A deposit by balance is all that had come to the address up to its block and was not recorded then. So a payment from
 * before it that is recorded only now is in it already, and both are one: where the deposit was decided, the payment is
 * matched with it; where it was not, the payment takes its place. Source: decision 0091.
 *
 * @param payments all to the address of the books.
 */
export function planRecording(payments: readonly SeenDeposit[], books: AddressBooks): RecordingPlan {
  const record: SeenDeposit[] = []
  const match: { readonly payment: SeenDeposit; readonly deposit: BalanceDeposit }[] = []
  const rest = new Map(books.balances.map((deposit) => [deposit, deposit.amount - deposit.matched]))
  const taken = new Set<BalanceDeposit>()
  const take = (deposit: BalanceDeposit, amount: bigint): void => {
    rest.set(deposit, (rest.get(deposit) ?? 0n) - amount)
    taken.add(deposit)
  }
  for (const payment of payments) {
    const isSame = (other: { readonly txHash: Hex; readonly ordinal: string }): boolean =>
      other.txHash === payment.txHash && other.ordinal === payment.ordinal
    if (books.matched.some(isSame)) continue
    const known = books.recorded.find((row) => isSame(row) && row.state !== 'reversed')
    const fresh = payment.amount - (known?.amount ?? 0n)
    const covering = fresh <= 0n ? [] : books.balances.filter(({ blockNumber }) => blockNumber >= payment.blockNumber)
    const whole = covering.find((deposit) => (rest.get(deposit) ?? 0n) >= fresh)
    if (whole?.isDecided === true && known === undefined) {
      rest.set(whole, (rest.get(whole) ?? 0n) - payment.amount)
      match.push({ payment, deposit: whole })
      continue
    }
    // If none holds all of it, the comparison with the inflow decides later; by then nothing may be recorded twice.
    let open = fresh
    for (const deposit of whole === undefined ? covering : [whole]) {
      const part = least(open, rest.get(deposit) ?? 0n)
      if (deposit.isDecided || part <= 0n) continue
      take(deposit, part)
      open -= part
    }
    record.push(payment)
  }
  const shrink = [...taken].map((deposit) => ({ deposit, amount: rest.get(deposit) ?? 0n }))
  return { record, match, shrink }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
