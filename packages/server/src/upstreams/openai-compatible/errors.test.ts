import { expect, test } from 'vitest'
import { chatFailure, retryAfterSeconds } from './errors.ts'

const NOW = Date.parse('2026-12-01T12:00:00Z')

test.each<[Record<string, string>, number | null]>([
  [{ 'retry-after': '30' }, 30],
  [{ 'retry-after': '1.5' }, 2],
  [{ 'retry-after': '0' }, 1],
  [{ 'retry-after': '99999999' }, 60],
  [{ 'retry-after': 'Tue, 01 Dec 2026 12:00:20 GMT' }, 20],
  [{ 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }, 1],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after-ms': '6500' }, 7],
  [{ 'retry-after-ms': '0' }, 1],
  [{ 'retry-after-ms': '6500', 'retry-after': '30' }, 7],
  [{ 'retry-after-ms': 'soon', 'retry-after': '30' }, 30],
  [{}, null],
])('%j asks to come back in %s seconds', (headers, seconds) => {
  expect(retryAfterSeconds(headers, NOW)).toBe(seconds)
})

test('a wait that Google writes in the body is kept, also by its API in OpenAI’s form', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }]
  const value = [{ error: { code: 429, message: 'Resource exhausted', status: 'RESOURCE_EXHAUSTED', details } }]
  const failure = chatFailure({ upstream: 'u', value, status: 429, retryAfterSeconds: null, apiKey: null })
  expect(failure).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 35 })
})
