import { describe, expect, test } from 'vitest'
import { chatFailure } from './openai-compatible/errors.ts'

const failureOf = (value: unknown, status: number) =>
  chatFailure({ upstream: 'u', value, status, retryAfterSeconds: null, apiKey: null })

describe('a request that is longer than its model can take is told by its code, whatever its server says', () => {
  test.each<[number, string | object]>([
    [400, { error: { message: 'x', code: 'context_length_exceeded' } }],
    [400, { error: { code: 400, message: 'x', metadata: { error_type: 'context_length_exceeded' } } }],
    [
      400,
      "This model's maximum context length is 4097 tokens. However, your messages resulted in 5000 tokens. Please " +
        'reduce the length of the messages.',
    ],
    [
      400,
      "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the " +
        'messages, 10000 in the completion). Please reduce the length of the messages or completion.',
    ],
    [
      400,
      "This model's maximum context length is 8192 tokens, however you requested 8977 tokens (8977 in your prompt; 0 " +
        'for the completion). Please reduce your prompt; or completion length.',
    ],
    [
      400,
      {
        ...{ object: 'error', type: 'BadRequestError', code: 400 },
        message:
          "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please " +
          'reduce the length of the input messages.',
      },
    ],
    [
      400,
      "'max_tokens' or 'max_completion_tokens' is too large: 50. This model's maximum context length is 40 tokens and " +
        'your request has 12 input tokens (50 > 40 - 12). None',
    ],
    [400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."],
    [
      400,
      "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 " +
        'tokens: 4000 tokens from the input messages and 1000 tokens for the completion. Please reduce the number of ' +
        'tokens in the input messages or the completion to fit within the limit.',
    ],
    [400, { error: { message: 'request (5000 tokens) exceeds', type: 'exceed_context_size_error', n_ctx: 4096 } }],
    [400, 'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it'],
    [500, 'input length exceeds maximum context length'],
    [
      422,
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 100 ' +
        '`max_new_tokens`',
    ],
    [
      413,
      {
        error: 'Input validation error: `inputs` must have less than 512 tokens. Given: 600',
        error_type: 'Validation',
      },
    ],
    [
      400,
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of " +
        'text input, 131072 in the output). Please reduce the length of either one, or use the "middle-out" transform ' +
        'to compress your prompt automatically.',
    ],
    [400, 'prompt is too long: 213462 tokens > 200000 maximum'],
    [400, { message: 'Input is too long for requested model.' }],
    [
      400,
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or ' +
        '`max_tokens` and try again',
    ],
    [
      400,
      [
        {
          error: {
            code: 400,
            message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
    ],
    [400, 'Prompt contains 40046 tokens and 0 draft tokens, too large for model with 32768 maximum context length'],
    [
      400,
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    ],
    [400, 'Please reduce the length of the messages or completion.'],
    [400, { message: 'too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 130000.' }],
    [400, 'The prompt is too long: 140000, model maximum context length: 131072'],
    [400, 'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)'],
    [400, '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]'],
    [400, { error: { code: '1261', message: 'Prompt exceeds max length' } }],
    [400, 'invalid params, context window exceeds limit (2013)'],
    [400, { error: { code: 'model_max_prompt_tokens_exceeded', message: 'x' } }],
    [200, { error: '{"error":{"message":"Input is too long for requested model."}}' }],
  ])('%d %j', (status, said) => {
    const value = typeof said === 'string' ? { error: { message: said, type: 'invalid_request_error' } } : said
    expect(failureOf(value, status)).toMatchObject({ code: 'context_length_exceeded', status: 400 })
  })
})

test.each([
  'Invalid prompt: Please reduce the length of the messages or completion. is no question',
  'The text "prompt is too long" cannot be read',
  `This model's maximum context length is ${'x'.repeat(200)} Please reduce the length of the messages.`,
  "'temperature' is too large: 5",
])('a sentence that quotes a prompt, or is about something else, says nothing of it: %s', (message) => {
  expect(failureOf({ error: { message } }, 400).code).toBe('upstream_rejected_request')
})

test('a text that is too long for one field is no request that is too long', () => {
  const detail = [{ type: 'string_too_long', loc: ['body', 'user'], msg: 'String should have at most 64 characters' }]
  expect(failureOf({ detail }, 422).code).toBe('upstream_rejected_request')
})
