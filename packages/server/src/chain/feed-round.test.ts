import { expect, test } from 'vitest'
import { judgeRound, priceFromRound } from './feed-round.ts'

const BLOCK = 1_800_000_000_000
const HOUR = 3_600_000
const round = (answer: bigint, updatedAt = BLOCK - HOUR) => ({ roundId: (1n << 64n) + 7n, answer, updatedAt })

test.each([
  ['a price of today', round(2_500_00000000n), 'usable'],
  ['zero', round(0n), 'empty'],
  ['less than zero', round(-1n), 'empty'],
  ['a round that was never answered', round(2_500_00000000n, 0), 'empty'],
  ['a price of after the block', round(2_500_00000000n, BLOCK + 1), 'later'],
  ['a day and an hour old', round(2_500_00000000n, BLOCK - 25 * HOUR), 'usable'],
  ['older than that', round(2_500_00000000n, BLOCK - 25 * HOUR - 1), 'stale'],
  ['a price that cannot be', round(99_00000000n), 'beyond belief'],
  ['another one', round(100_001_00000000n), 'beyond belief'],
])('a round with %s is %s', (_name, found, verdict) => {
  expect(judgeRound('ETH', found, BLOCK)).toBe(verdict)
})

test('the token is a dollar until its price has clearly left it', () => {
  expect(priceFromRound('USDG', round(99_500_000n))).toMatchObject({ usd: '1', round: 'par' })
  expect(priceFromRound('USDG', round(101_000_000n))).toMatchObject({ usd: '1', round: 'par' })
  expect(priceFromRound('USDG', round(99_400_000n))).toMatchObject({ usd: '0.994', round: '18446744073709551623' })
  expect(judgeRound('USDG', round(49_000_000n), BLOCK)).toBe('beyond belief')
})
