import { expect, test } from 'vitest'
import { leftRates } from './rate-headers.ts'

const NOW = Date.parse('2026-08-01T12:00:00Z')

test.each([
  [
    'OpenAI',
    {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-limit-tokens': '150000',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    [
      { of: 'requests', remaining: 59, limit: 60, resetMs: 1_000 },
      { of: 'tokens', remaining: 149_984, limit: 150_000, resetMs: 360_000 },
    ],
  ],
  [
    'Anthropic',
    {
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-08-01T12:00:30Z',
      'anthropic-ratelimit-input-tokens-limit': '40000',
      'anthropic-ratelimit-input-tokens-remaining': '39000',
    },
    [
      { of: 'requests', remaining: 0, limit: 50, resetMs: 30_000 },
      { of: 'input-tokens', remaining: 39_000, limit: 40_000, resetMs: null },
    ],
  ],
  [
    'OpenRouter',
    { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW + 45_000}` },
    [{ of: '', remaining: 0, limit: 20, resetMs: 45_000 }],
  ],
  [
    'one that writes seconds since the epoch',
    { 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': `${NOW / 1_000 + 5}` },
    [{ of: 'requests', remaining: 3, limit: null, resetMs: 5_000 }],
  ],
  [
    'Groq',
    { 'x-ratelimit-remaining-tokens': '5', 'x-ratelimit-reset-tokens': '7.66s' },
    [{ of: 'tokens', remaining: 5, limit: null, resetMs: 7_660 }],
  ],
  ['one without such headers', { 'content-type': 'application/json', 'x-ratelimit-policy': '20;w=60' }, []],
  ['one that writes nonsense', { 'x-ratelimit-remaining-requests': 'many', 'x-ratelimit-remaining': '-1' }, []],
  [
    'one whose reset is nonsense or far away',
    {
      'x-ratelimit-remaining-requests': '1',
      'x-ratelimit-reset-requests': 'soon',
      'x-ratelimit-remaining-tokens': '1',
      'x-ratelimit-reset-tokens': '999999h',
    },
    [
      { of: 'requests', remaining: 1, limit: null, resetMs: null },
      { of: 'tokens', remaining: 1, limit: null, resetMs: 86_400_000 },
    ],
  ],
])('the rates of %s are read', (_, headers, expected) => {
  expect(leftRates(headers as never, NOW)).toEqual(expected)
})

test('however many there are, a few are read', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x-ratelimit-remaining-r${at}`, '1']))
  expect(leftRates(many, NOW)).toHaveLength(8)
})
