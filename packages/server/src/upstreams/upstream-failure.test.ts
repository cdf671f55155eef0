import { expect, test } from 'vitest'
import { showableText } from './upstream-failure.ts'

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
