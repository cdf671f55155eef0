import { expect, test } from 'vitest'
import { splitSpan } from './usage-span.ts'

const DAY = 86_400_000

test('an open span is all days and no single record', () => {
  expect(splitSpan({ from: null, to: null })).toEqual({ days: { first: null, end: null }, ends: [] })
})

test('a span of whole days needs no single record', () => {
  expect(splitSpan({ from: 3 * DAY, to: 5 * DAY })).toEqual({ days: { first: 3, end: 5 }, ends: [] })
})

test('a span within one day is single records alone', () => {
  const span = { from: 3 * DAY + 1, to: 3 * DAY + 2 }
  expect(splitSpan(span)).toEqual({ days: null, ends: [span] })
})

test('a span over midnight without a whole day is single records alone', () => {
  const span = { from: 3 * DAY + 1, to: 4 * DAY + 2 }
  expect(splitSpan(span)).toEqual({ days: null, ends: [span] })
})

test('whole days have ragged ends beside them', () => {
  expect(splitSpan({ from: 3 * DAY - 5, to: 5 * DAY + 7 })).toEqual({
    days: { first: 3, end: 5 },
    ends: [
      { from: 3 * DAY - 5, to: 3 * DAY },
      { from: 5 * DAY, to: 5 * DAY + 7 },
    ],
  })
})

test('ends and days cover every moment once, for random spans', () => {
  const seed = Number(process.env['TEST_SEED'] ?? Date.now())
  console.info(`seed ${seed}`)
  let state = seed % 2_147_483_647
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  for (let round = 0; round < 500; round++) {
    const from = random(5) === 0 ? null : random(6 * DAY)
    const to = random(5) === 0 ? null : random(6 * DAY)
    const { days, ends } = splitSpan({ from, to })
    for (let probe = 0; probe < 20; probe++) {
      const time = random(7 * DAY)
      const day = Math.floor(time / DAY)
      const isIn = (from === null || time >= from) && (to === null || time < to)
      const inDays =
        days !== null && (days.first === null || day >= days.first) && (days.end === null || day < days.end)
      const inEnds = ends.filter((end) => time >= (end.from ?? -1) && time < (end.to ?? Infinity)).length
      expect(Number(inDays) + inEnds).toBe(Number(isIn))
    }
  }
})
