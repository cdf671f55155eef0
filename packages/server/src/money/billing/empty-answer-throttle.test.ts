import { nanocreditsOf } from '@svc/contract'
import { beforeEach, expect, test } from 'vitest'
import { EmptyAnswerThrottle } from './empty-answer-throttle.ts'
import { NO_FACTS } from './settlement.ts'

let now = 0
let answers: EmptyAnswerThrottle
beforeEach(() => {
  now = 1_000_000
  answers = new EmptyAnswerThrottle({ freeAnswers: 3 }, { elapsed: () => now })
})

const settled = (errorCode: string | null, charge = 0n, cost = 0n) => ({
  charge: nanocreditsOf(charge),
  cost: nanocreditsOf(cost),
  facts: { ...NO_FACTS, errorCode, latencyMs: 1 },
})
const EMPTY = settled('upstream_empty')
const provoke = (times: number): void => {
  for (let turn = 0; turn < times; turn++) answers.note('a', EMPTY)
}
const waitOf = (account = 'a'): number | null => {
  try {
    answers.check(account)
    return 0
  } catch (error) {
    return (error as { retryAfterSeconds: number | null }).retryAfterSeconds
  }
}

test('the first few slow no key, the next ones longer and longer, up to a minute', () => {
  provoke(3)
  expect(waitOf()).toBe(0)
  const waits = Array.from({ length: 9 }, () => {
    provoke(1)
    return waitOf()
  })
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
})

test('another account is not slowed', () => {
  provoke(20)
  expect(waitOf('b')).toBe(0)
})

test('a wait ends, a minute forgives one, and so does an answer that is charged', () => {
  provoke(5)
  expect(waitOf()).toBe(2)
  now += 2_000
  expect(waitOf()).toBe(0)
  provoke(1)
  answers.note('a', settled(null, 5n))
  answers.note('a', settled(null, 5n))
  expect(waitOf()).toBe(1)
  now += 10 * 60_000
  provoke(3)
  expect(waitOf()).toBe(0)
})

test('an answer forgives none that cost us more than it was charged', () => {
  for (let turn = 0; turn < 4; turn++) answers.note('a', settled('upstream_empty', 0n, 700n))
  for (let turn = 0; turn < 9; turn++) answers.note('a', settled(null, 699n))
  expect(waitOf()).toBe(1)
  answers.note('a', settled(null, 700n))
  expect(waitOf()).toBe(0)
})

test('a failure that the upstream bills counts, one that it does not bill does not', () => {
  for (let turn = 0; turn < 4; turn++) answers.note('a', settled('upstream_error', 0n, 7n))
  expect(waitOf()).toBe(1)
  for (let turn = 0; turn < 9; turn++) answers.note('b', settled('upstream_error'))
  expect(waitOf('b')).toBe(0)
})
