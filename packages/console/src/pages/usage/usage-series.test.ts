import { formatCredits, nanocreditsOf } from '@svc/contract'
import { expect, test } from 'vitest'
import { seriesColours } from './series-colour.ts'
import { fillDays, measuredBy, OTHER, rankSeries, roundTop, sumDays } from './usage-series.ts'

const row = (day: string, group: string, nano: bigint) => ({
  day,
  group,
  name: group.toUpperCase(),
  requests: 1,
  tokens: 3,
  credits_charged: formatCredits(nanocreditsOf(nano)),
})

const days = {
  first_day: '2026-02-27',
  last_day: '2026-03-02',
  data: [
    ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((group, index) => row('2026-02-28', group, BigInt(index + 1))),
    row('2026-03-02', 'a', 9_007_199_254_740_993n),
  ],
}

test('the six that cost most are shown by themselves, and the others are one', () => {
  const series = rankSeries(days)
  expect(series.map(({ group }) => group)).toEqual(['a', 'h', 'g', 'f', 'e', 'd', OTHER])
  expect(series.at(-1)).toEqual({ group: OTHER, name: '2 others', total: 5n })
  expect(series[0]).toEqual({ group: 'a', name: 'A', total: 9_007_199_254_740_994n })
})

test('requests and tokens are ranked and drawn as credits are', () => {
  expect(rankSeries(measuredBy(days, 'tokens'))[0]).toEqual({ group: 'a', name: 'A', total: 6_000_000_000n })
  expect(rankSeries(measuredBy(days, 'requests')).at(-1)).toMatchObject({ group: OTHER, total: 2_000_000_000n })
  expect(measuredBy(days, 'credits')).toBe(days)
})

test('each day of the span is there, and no nanocredit is lost', () => {
  const series = rankSeries(days)
  const filled = fillDays(days, series)
  expect(filled.map(({ day }) => day)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'])
  expect(filled[1]?.parts.get(OTHER)).toBe(5n)
  expect(filled.map(({ requests }) => requests)).toEqual([0, 8, 0, 1])
  const drawn = filled.reduce((sum, { total }) => sum + total, 0n)
  expect(drawn).toBe(series.reduce((sum, { total }) => sum + total, 0n))
})

test('six or fewer need no others', () => {
  expect(rankSeries({ ...days, data: days.data.slice(0, 6) }).map(({ group }) => group)).not.toContain(OTHER)
})

test('a name has one colour everywhere, and colours side by side can be told apart', () => {
  const names = Array.from({ length: 40 }, (_value, index) => ({ group: `model-${index}` }))
  expect(seriesColours(names.toReversed())).toEqual(seriesColours(names))
  for (const one of names) expect(seriesColours([one])).toEqual(seriesColours([one, { group: OTHER }]))
  for (let at = 0; at + 6 <= names.length; at += 1) {
    const hues = [...seriesColours(names.slice(at, at + 6)).values()].flatMap((colour) => {
      const hue = /(\d+)\)$/.exec(colour)?.[1]
      return hue === undefined ? [] : [Number(hue)]
    })
    const gaps = hues.flatMap((one, index) => hues.slice(index + 1).map((other) => Math.abs(one - other)))
    expect(Math.min(...gaps.map((gap) => Math.min(gap, 360 - gap)))).toBeGreaterThanOrEqual(45)
  }
})

test.each([
  [0n, 10n],
  [1n, 10n],
  [10n, 10n],
  [11n, 20n],
  [234n, 400n],
  [401n, 600n],
  [801n, 1_000n],
  [999_999_999_999n, 1_000_000_000_000n],
])('a largest bar of %s has the round scale %s, whose middle is round as well', (most, top) => {
  expect(roundTop(most)).toBe(top)
  expect(top % 2n).toBe(0n)
})

test('what is above the chart is the sum of what it shows', () => {
  const sum = rankSeries(days).reduce((all, { total }) => all + total, 0n)
  expect(sumDays(days)).toEqual({ requests: 9, tokens: 27, credits: sum })
})
