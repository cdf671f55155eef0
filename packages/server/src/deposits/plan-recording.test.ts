import { describe, expect, test } from 'vitest'
import { hexOf, seenDeposit } from '../../testing/seed-deposit.ts'
import { planRecording, type AddressBooks, type BalanceDeposit } from './plan-recording.ts'

const paid = (hash: number, amount: bigint, blockNumber = 50) =>
  seenDeposit('account', { asset: 'ETH', ordinal: 'tx', txHash: hexOf(hash, 32), amount, blockNumber })

function found(amount: bigint, rest: Partial<BalanceDeposit> = {}): BalanceDeposit {
  const place = { depositId: `${amount}`, blockNumber: 100, blockHash: hexOf(9, 32) }
  return { ...place, amount, isDecided: true, matched: 0n, ...rest }
}

const books = (balances: readonly BalanceDeposit[], rest: Partial<AddressBooks> = {}): AddressBooks => ({
  ...{ balances, recorded: [], matched: [] },
  ...rest,
})

describe('what becomes of a payment in ETH', () => {
  test('is a deposit of its own where no balance has shown it', () => {
    const payments = [paid(1, 5n), paid(2, 7n)]
    expect(planRecording(payments, books([]))).toEqual({ record: payments, match: [], shrink: [] })
    const later = paid(3, 5n, 101)
    expect(planRecording([later], books([found(5n)]))).toMatchObject({ record: [later], match: [] })
  })

  test('is part of a decided deposit by balance, as long as that has room', () => {
    const deposit = found(12n)
    const payments = [paid(1, 5n), paid(2, 7n), paid(3, 1n)]
    const plan = planRecording(payments, books([deposit]))
    expect(plan.match.map(({ payment }) => payment)).toEqual(payments.slice(0, 2))
    expect(plan.record).toEqual(payments.slice(2))
    expect(planRecording([paid(4, 5n)], books([found(12n, { matched: 8n })]))).toMatchObject({ match: [] })
  })

  test('takes its part out of one that is not decided', () => {
    const deposit = found(12n, { isDecided: false })
    const plan = planRecording([paid(1, 5n), paid(2, 7n)], books([deposit]))
    expect(plan).toMatchObject({ match: [], shrink: [{ deposit, amount: 0n }] })
    expect(plan.record).toHaveLength(2)
    expect(planRecording([paid(1, 5n)], books([deposit])).shrink).toEqual([{ deposit, amount: 7n }])
  })

  test('goes with the first deposit that holds all of it', () => {
    const [small, large] = [found(3n), found(9n, { blockNumber: 120 })]
    expect(planRecording([paid(1, 5n)], books([small, large])).match).toMatchObject([{ deposit: large }])
  })

  test('stays what it is where it was recorded or matched before', () => {
    const payment = paid(1, 5n)
    const { txHash, ordinal, blockHash } = payment
    const recorded = [{ txHash, ordinal, blockHash, amount: 5n, state: 'seen' as const }]
    expect(planRecording([payment], books([found(5n)], { recorded }))).toEqual({
      ...{ record: [payment], match: [], shrink: [] },
    })
    expect(planRecording([payment], books([found(5n)], { matched: [{ txHash, ordinal }] })).record).toEqual([])
  })

  test('is matched where it had been taken back before the balance showed it', () => {
    const payment = paid(1, 5n)
    const { txHash, ordinal, blockHash } = payment
    const recorded = [{ txHash, ordinal, blockHash, amount: 5n, state: 'reversed' as const }]
    expect(planRecording([payment], books([found(5n)], { recorded })).match).toHaveLength(1)
  })
})
