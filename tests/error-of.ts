/** What a failed request says to its client. */
import { errorCodes } from '@svc/contract'
import { expect } from 'vitest'

export interface WireError {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string
  readonly [extra: string]: unknown
}

/** Checks that a body has OpenAI's shape of an error, and that status and type are those of its code. */
export function wireErrorIn(value: unknown, status: number): WireError {
  expect(Object.keys(Object(value))).toEqual(['error'])
  const { error } = value as { readonly error: WireError }
  expect(error).toMatchObject({
    message: expect.stringMatching(/\S/),
    type: expect.any(String),
    code: expect.any(String),
  })
  expect(Object.keys(error).slice(0, 4)).toEqual(['message', 'type', 'param', 'code'])
  expect(errorCodes[error.code as keyof typeof errorCodes]).toEqual({ status, type: error.type })
  return error
}

/** Reads the error of an answer: JSON in OpenAI's shape, with a request id. */
export async function errorOf(response: Response): Promise<WireError> {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  return wireErrorIn(await response.json(), response.status)
}

/** Status, code and, where there is one, the field of a refusal: `400 invalid_value model`. */
export async function refusalOf(response: Response): Promise<string> {
  const { code, param } = await errorOf(response)
  return [response.status, code, ...(param === null ? [] : [param])].join(' ')
}
