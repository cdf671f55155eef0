import { expect, test } from 'vitest'
import { createId } from './ids.ts'

/** The time that an id holds, in milliseconds. */
const timeIn = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

const NOON = Date.UTC(2031, 5, 1, 12)

test('ids of one millisecond sort as they were made, however many there are', () => {
  const ids = Array.from({ length: 10_000 }, () => createId(NOON))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('ids sort as they were made while the clock is corrected a little', () => {
  const ids = [NOON + 60_000, NOON + 59_990, NOON + 59_500, NOON + 60_001].map(createId)
  expect(ids.toSorted()).toEqual(ids)
})

test('after a clock that was far ahead ids hold the true time again', () => {
  const [ahead, now, then] = [NOON + 3_600_000, NOON, NOON + 5].map((time) => timeIn(createId(time)))
  expect([ahead, now, then]).toEqual([NOON + 3_600_000, NOON, NOON + 5])
})
