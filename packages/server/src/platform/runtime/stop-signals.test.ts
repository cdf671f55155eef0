import { expect, test } from 'vitest'
import { createStopSignals } from './stop-signals.ts'

test('a signal that comes twice at once stops once, and only a later one ends at once', () => {
  let time = 1_000
  const done: string[] = []
  const take = createStopSignals({
    now: () => time,
    stop: (signal) => void done.push(`stop by ${signal}`),
    end: () => void done.push('end'),
  })
  take('SIGINT')
  take('SIGINT')
  time += 499
  take('SIGTERM')
  expect(done).toEqual(['stop by SIGINT'])
  time += 1
  take('SIGINT')
  expect(done).toEqual(['stop by SIGINT', 'end'])
})
