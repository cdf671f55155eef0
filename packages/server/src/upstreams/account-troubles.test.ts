import { describe, expect, test } from 'vitest'
import { isAccountTrouble } from './account-troubles.ts'
import { chatFailure } from './openai-compatible/errors.ts'

const failureOf = (value: unknown, status: number) =>
  chatFailure({ upstream: 'u', value, status, retryAfterSeconds: null, apiKey: null })

describe('our own trouble with an upstream is told from the client’s, whatever the status', () => {
  test.each<[number, unknown]>([
    [
      400,
      { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    ],
    [
      400,
      [{ error: { code: 400, message: 'x', status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] } }],
    ],
    [400, { error: { message: 'Your credit balance is too low to access the Anthropic API' } }],
    [
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message:
            'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
        },
      },
    ],
    [
      400,
      {
        error: {
          type: 'invalid_request_error',
          message:
            'You have reached your specified API usage limits. You will regain access on 2027-01-01 at 00:00 UTC.',
        },
      },
    ],
    [400, { error: { code: 'Arrearage', type: 'Arrearage', message: 'Access denied.' } }],
    [400, { error: { message: 'Billing hard limit has been reached', code: 'billing_hard_limit_reached' } }],
    [412, { error: { message: 'x', code: 'organization_restricted' } }],
    [429, { error: { message: 'x', code: '1113' } }],
    [200, { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }],
    [500, { error: '{"error":{"message":"API key expired. Please renew the API key."}}' }],
  ])('%d %j', (status, value) => {
    const failure = failureOf(value, status)
    expect(failure).toMatchObject({ kind: 'our_account', code: 'upstream_unavailable', status: 503 })
    // Nothing of it is shown, and the next upstream may be asked.
    expect(failure.message).not.toMatch(/key|balance|billing|credit/i)
    if (status >= 400) expect(failure.isRepeatable).toBe(true)
  })
})

test.each([
  'Invalid prompt: API key not valid. Please pass a valid API key. is no question',
  'The text "Insufficient Balance" cannot be read',
  `Your credit balance is too low to access the ${'x'.repeat(400)}`,
  'Your credit balance is too low',
])('a sentence that quotes a prompt is the client’s: %s', (message) => {
  expect(isAccountTrouble({ error: { message } })).toBe(false)
  expect(failureOf({ error: { message } }, 400).kind).toBe('rejected_request')
})

test('what a router quotes of its provider is not about us', () => {
  expect(isAccountTrouble({ error: { metadata: { raw: '{"error":{"code":"invalid_api_key"}}' } } })).toBe(false)
})
