import { expect, test } from 'vitest'
import { readLogprobs } from './logprobs.ts'

const top = { token: 'a', logprob: -1, bytes: null }
const token = { token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [top] }

// The AI SDK refuses a whole answer for one token that lacks a number or a list.
test.each<[string, unknown, unknown]>([
  ['what is whole stays', { content: [token], refusal: null }, { content: [token], refusal: null }],
  ['nothing', null, null],
  ['no object', '', null],
  [
    'a token that cannot be has a number',
    { content: [{ ...token, logprob: null }] },
    { content: [{ ...token, logprob: -9_999 }] },
  ],
  [
    'so has one that might have been',
    { content: [{ ...token, top_logprobs: [{ ...top, logprob: -Infinity }] }] },
    { content: [{ ...token, top_logprobs: [{ ...top, logprob: -9_999 }] }] },
  ],
  [
    'a token without alternatives has none',
    { content: [{ token: 'a', logprob: -0.5 }] },
    { content: [{ token: 'a', logprob: -0.5, bytes: null, top_logprobs: [] }] },
  ],
  [
    'the older form is a list of tokens',
    { tokens: ['a'], token_logprobs: [null], top_logprobs: [{ b: -2 }] },
    {
      content: [{ token: 'a', logprob: 0, bytes: null, top_logprobs: [{ token: 'b', logprob: -2, bytes: null }] }],
      refusal: null,
    },
  ],
])('%s', (_name, given, read) => {
  expect(readLogprobs(given)).toEqual(read)
})
