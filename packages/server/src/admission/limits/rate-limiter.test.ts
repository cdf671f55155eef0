import { expect, test } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

test('a flood of new callers forgets the oldest ones, and not those that come in between', () => {
  const clock = { time: 0, elapsed: () => clock.time }
  const limiter = new RateLimiter({ perMinute: 6, what: 'requests with this key' }, clock)
  for (let caller = 0; caller < 100_000; caller++) limiter.take(`caller-${caller}`)
  expect(limiter.allows('caller-99999')).toBe(false)
  limiter.take('one more')
  expect(limiter.allows('caller-99999')).toBe(false)
  expect(limiter.allows('caller-0')).toBe(true)
})

test('full buckets are forgotten first', () => {
  const clock = { time: 0, elapsed: () => clock.time }
  const limiter = new RateLimiter({ perMinute: 6, what: 'requests with this key' }, clock)
  for (let caller = 0; caller < 50_000; caller++) limiter.take(`early-${caller}`)
  clock.time = 60_000
  for (let caller = 0; caller < 50_001; caller++) limiter.take(`late-${caller}`)
  expect(limiter.allows('late-0')).toBe(false)
})

test('a refusal names what is limited, the limit, and when to come back', () => {
  const limiter = new RateLimiter({ perMinute: 6, what: 'requests with this key' }, { elapsed: () => 0 })
  limiter.take('caller')
  expect(() => limiter.take('caller')).toThrow(
    expect.objectContaining({
      message: 'Too many requests with this key: at most 6 a minute. Try again in 10 s.',
      retryAfterSeconds: 10,
    }),
  )
})
