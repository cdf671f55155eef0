import { expect, test } from 'vitest'
import { chatFailure } from './openai-compatible/errors.ts'
import { loggableCodes, showableText } from './upstream-words.ts'

test.each([
  'cannot reach 10.1.2.3',
  'cannot reach 10.1.2.3:8000',
  'cannot reach [fd00:1::7]:8000',
  'cannot reach fe80::1',
  'cannot reach localhost:80',
  'cannot reach db.internal.example:5432',
  'cannot reach vllm-svc-0:8000',
  'cannot reach vllm:8000',
  'cannot reach http://vllm/v1',
])('no address is shown: %s', (text) => {
  expect(showableText(text, null)).toBe('cannot reach [removed]')
})

test.each([
  "Invalid value for 'messages[0].content': expected at most 12:30",
  'temperature: 2.5 is above 2.0',
  'model qwen2.5:14b is version 1.2.3',
  'ratio 16:9, code:400, std::vector',
])('what only looks like an address stays: %s', (text) => {
  expect(showableText(text, null)).toBe(text)
})

test('a text of any length is read in no time', () => {
  expect(showableText('a.'.repeat(5_000_000), null)).toHaveLength(500)
  expect(showableText(':'.repeat(5_000_000), null)).toHaveLength(500)
})

const KEY = 'sk-or-v1-4f9C0a7be21d55C3-Zk8Qm2Vx0123'

test('a word is logged if it has the form of a code and is no part of our key', () => {
  const codes = ['rate_limit_exceeded', 'E-42.b', 'x'.repeat(64)]
  const keys = [
    KEY,
    KEY.toUpperCase(),
    KEY.slice(9),
    KEY.slice(9).replaceAll('-', '_'),
    Buffer.from(KEY).toString('base64'),
  ]
  const others = ['x'.repeat(65), 'invalid prompt: a secret', '', '7', 'a\nb', 'é']
  expect(loggableCodes([...codes, ...keys, ...others], KEY)).toEqual(codes)
  expect(loggableCodes(codes, null)).toEqual(codes)
})

test('neither the log nor the client of a failure is given our key', () => {
  const spaced = KEY.split('').join(' ')
  for (const form of [KEY, KEY.toUpperCase(), KEY.slice(9, 30), Buffer.from(KEY).toString('base64'), spaced]) {
    const value = { error: { message: `The key ${form} is wrong.`, code: form, type: form } }
    for (const status of [400, 401, 500, null]) {
      const failure = chatFailure({ upstream: 'stub', value, status, retryAfterSeconds: null, apiKey: KEY })
      const told = JSON.stringify([failure.message, failure.internal])
      expect(told).not.toContain(form.slice(4, 20))
      expect(failure.internal['upstreamCodes']).toEqual([])
    }
  }
})

test.each(['AKIAIOSFODNN7EXAMPLE', 'AIzaSyA-1234567890abcdefghijklmnopqrstuv', 'gsk_1234567890abcdefghij'])(
  'no key of another service is shown: %s',
  (key) => {
    expect(showableText(`The key ${key} is wrong.`, KEY)).toBe('The key [removed] is wrong.')
  },
)
