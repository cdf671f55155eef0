import { expect, test } from 'vitest'
import { KeptSpace } from './kept-space.ts'

const DAY_MS = 86_400_000

test('an account has its room for a day, whatever others keep, and what does not fit takes nothing', () => {
  const clock = { time: 5 * DAY_MS, now: () => clock.time }
  const space = new KeptSpace(clock, 100)
  expect(space.take('ada', 60)).toBe(true)
  expect(space.take('ada', 41)).toBe(false)
  expect(space.take('ada', 40)).toBe(true)
  expect(space.take('ada', 1)).toBe(false)
  expect(space.take('bob', 100)).toBe(true)
  clock.time += DAY_MS
  expect(space.take('ada', 100)).toBe(true)
})

test('accounts that keep nothing for long begin anew, so that memory has an end', () => {
  const space = new KeptSpace({ now: () => 0 }, 1)
  expect(space.take('first', 1)).toBe(true)
  for (let at = 0; at < 10_000; at++) space.take(`account ${at}`, 1)
  expect(space.take('account 9999', 1)).toBe(false)
  expect(space.take('first', 1)).toBe(true)
})
