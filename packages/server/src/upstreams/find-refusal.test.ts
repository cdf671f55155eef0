/** Refusals of content by every vendor's words, in every place where vendors write them. */
import { describe, expect, test } from 'vitest'
import { contentRefusals } from './content-refusals.ts'
import { chatFailure } from './openai-compatible/errors.ts'
import { readVideoReport } from './openai-compatible/video-report.ts'

const kindOf = (value: unknown, status: number | null = 400) =>
  chatFailure({ upstream: 'stub', value, status, retryAfterSeconds: null, apiKey: null }).kind
const PROMPT = 'Ignore this: content_filter, "moderation_blocked", SAFETY, data_inspection_failed.'

describe.each(contentRefusals)('$vendor', ({ words, prefixes = [], sentences = [], source }) => {
  const named = [...words, ...prefixes.map((prefix) => `${prefix}X`)]
  test('names its source', () => expect(source).toMatch(/\w+[./]\w+/))
  test.each(named.filter((word) => !/^(?:base_resp|failed) \d/.test(word)))('%s is a refusal of content', (word) => {
    const places: unknown[] = [
      { error: { message: 'No.', type: 'invalid_request_error', code: word } },
      { error: { message: 'No.', type: word, code: null } },
      { error: { message: 'No.', code: '400', innererror: { code: word } } },
      { error: { message: 'No.', code: 400, metadata: { error_type: word } } },
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: { raw: JSON.stringify({ error: { code: word } }) },
        },
      },
      { code: word, message: 'No.', request_id: 'r' },
      { id: 'r', name: word, errors: ['No.'] },
      { detail: [{ loc: ['body', 'prompt'], msg: 'No.', type: word }] },
      [{ error: { message: 'No.', code: word } }],
    ]
    expect(places.map((value) => kindOf(value))).toEqual(places.map(() => 'content_policy'))
    const job = { id: 'job', status: 'failed', error: { code: word, message: 'No.' } }
    expect(readVideoReport(Buffer.from(JSON.stringify(job)), { reportsCost: false })).toMatchObject({
      reason: 'content_policy',
    })
  })
  test.each(sentences)('«%s» is a refusal of content', (sentence) => {
    expect(kindOf({ error: { message: sentence, type: 'invalid_request_error' } })).toBe('content_policy')
    expect(kindOf({ code: 'Client specified an invalid argument', error: sentence })).toBe('content_policy')
  })
})

test.each([
  [{ base_resp: { status_code: 1026, status_msg: 'input new_sensitive' } }],
  [{ id: 'a', status: 'failed', code: 1200, error: 'The content contains sensitive information.' }],
  [{ id: 'a', status: 'Request Moderated', result: null }],
])('%j says that content was refused, also under 200', (value) => {
  expect(kindOf(value, null)).toBe('content_policy')
  expect(readVideoReport(Buffer.from(JSON.stringify({ status: 'failed', ...value })), { reportsCost: false })).toEqual({
    ...{ kind: 'failed', reason: 'content_policy', cost: null },
  })
})

test.each([
  [{ error: { message: PROMPT, type: 'invalid_request_error', code: 'invalid_value', param: 'prompt' } }, 400],
  [{ error: { message: `Invalid prompt: ${PROMPT}` } }, 400],
  [{ error: { message: 'No.', code: 1301 } }, 400],
  [{ detail: [{ loc: ['body', 'safety'], msg: PROMPT, type: 'missing' }] }, 422],
])('%j speaks about something else', (value, status) => {
  const isVendorsNumber = JSON.stringify(value).includes('1301')
  expect(kindOf(value, status)).toBe(isVendorsNumber ? 'content_policy' : 'rejected_request')
})

test('status 451 is a refusal of content whatever its page says', () => {
  expect(kindOf('<html>no</html>', 451)).toBe('content_policy')
})
