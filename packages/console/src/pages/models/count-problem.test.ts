import { expect, test } from 'vitest'
import { cachedProblem, countProblem } from './count-problem.ts'

test('only whole numbers of 0 or more are figures of a sum', () => {
  for (const figure of ['', '0', '007', '1000', '999999999']) expect(countProblem(figure)).toBeNull()
  for (const figure of ['1.5', '-5', '1e3', ' ', '1,000', 'ten', '1000000000']) {
    expect(countProblem(figure)).toBeTypeOf('string')
  }
})

test('no more of a prompt is cached than it has', () => {
  expect(cachedProblem('10', '10')).toBeNull()
  expect(cachedProblem('11', '10')).toBe('More than the prompt: 10 are counted')
  expect(cachedProblem('11', '')).toBe('More than the prompt: 0 are counted')
  // A figure that is none has its own message.
  expect(cachedProblem('1.5', '1')).toBeNull()
  expect(cachedProblem('5', '-1')).toBeNull()
})
