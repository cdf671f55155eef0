import { ApiError } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { explainError } from './explain-error.ts'

const fields = { status: 402, message: 'no', code: 'x', type: null, param: null, requestId: 'r-1', retryAfterMs: null }
const short = { credits_required: '12', credits_available: '1.5', credits_short: '10.5' }

describe('explainError', () => {
  test('a 402 says how many credits are missing and how to fund', () => {
    const details = {
      ...short,
      limit: 'account',
      topup_url: 'https://x.example/console/fund',
      affordable_max_tokens: 40,
    }
    expect(explainError(new ApiError({ ...fields, details }))).toEqual({
      message: 'This needs 12 credits, and you have 1.5 credits: 10.5 credits are missing.',
      advice: 'Add credits: `svc deposit address` or https://x.example/console/fund. Or ask for less: --max-tokens 40.',
      exitCode: 3,
    })
  })

  test("a key's budget is not mended by adding credits", () => {
    const topup = 'https://x.example/console/team/t/keys/k'
    const explained = explainError(new ApiError({ ...fields, details: { ...short, limit: 'key', topup_url: topup } }))
    expect(explained?.message).toContain("this key's budget has 1.5 credits")
    expect(explained?.advice).toBe(`Raise the key's budget at ${topup}, or use another key.`)
  })

  test('a 401 means that the caller is not signed in', () => {
    expect(explainError(new ApiError({ ...fields, status: 401, details: {} }))?.exitCode).toBe(4)
  })

  test('what is no failure of the gateway is not explained', () => {
    expect(explainError(new TypeError('x'))).toBeNull()
  })
})
