import { expect, test } from 'vitest'
import { judgePrice, type PriceEvidence } from './judge-price.ts'

const DAY = 86_400_000
const evidence = (rest: Partial<PriceEvidence>): PriceEvidence => ({
  ...{ usd: 2_500, time: 100 * DAY, second: null, hasSecond: false, believed: null, rounds: [] },
  ...rest,
})

test.each([
  ['a second source that tells the same', 'agrees', { second: 2_500, hasSecond: true }],
  ['one that is two in a hundred apart', 'agrees', { second: 2_549, hasSecond: true }],
  ['one that is further apart', 'differs', { second: 2_551, hasSecond: true }],
  ['a tenth of it', 'differs', { second: 250, hasSecond: true }],
  ['ten times it', 'differs', { second: 25_000, hasSecond: true }],
  ['nothing at all', 'alone', {}],
  ['a second source that says nothing', 'late', { hasSecond: true }],
  ['a price believed today', 'alone', { believed: { usd: 2_900, time: 100 * DAY } }],
  ['a price believed today that is far', 'leaps', { believed: { usd: 25_000, time: 100 * DAY } }],
  ['a price believed today that is far below', 'leaps', { believed: { usd: 250, time: 100 * DAY } }],
  ['the same three days ago', 'alone', { believed: { usd: 3_600, time: 97 * DAY } }],
  ['one believed so long ago that it says nothing', 'alone', { believed: { usd: 250, time: 80 * DAY } }],
  ['rounds before it', 'alone', { rounds: [2_490, 2_400] }],
  ['rounds before it that are far', 'leaps', { rounds: [2_490, 250] }],
  ['a far price that a second source confirms', 'agrees', { second: 2_500, hasSecond: true, rounds: [250] }],
] as const)('%s: %s', (_what, opinion, rest) => {
  expect(judgePrice(evidence(rest))).toBe(opinion)
})
