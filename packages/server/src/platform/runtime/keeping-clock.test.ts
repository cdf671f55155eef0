import { expect, test } from 'vitest'
import { keepingClock } from './keeping-clock.ts'

const DAY_MS = 86_400_000

test('what is kept and what is over are told by the later and the earlier of the clock and what has passed', () => {
  let moved = 0
  let passed = 5
  const clock = keepingClock({ now: () => 1_000_000 + passed + moved, elapsed: () => passed })
  passed += 100
  expect([clock.now(), clock.latest(), clock.earliest()]).toEqual([1_000_105, 1_000_105, 1_000_105])
  moved = 30 * DAY_MS
  expect([clock.latest(), clock.earliest()]).toEqual([1_000_105 + moved, 1_000_105])
  moved = -30 * DAY_MS
  expect([clock.latest(), clock.earliest()]).toEqual([1_000_105, 1_000_105 + moved])
})
