/** The one place where an error becomes an answer. */
import { type ErrorBody, errorCodes, scrubKeys } from '@svc/contract'
import { ServiceError } from '../platform/errors/service-error.ts'

export interface RenderedError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ErrorBody
  readonly error: ServiceError
}

/** Errors of the web framework, which it names by codes of its own. */
const frameworkErrors: Readonly<Record<string, () => ServiceError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ServiceError('request_too_large', 'The body is too large.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ServiceError('unsupported_media_type', 'This content type is not read here.'),
  FST_ERR_BAD_URL: () => new ServiceError('unknown_url', 'The address is not well formed.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new ServiceError('unknown_url', 'The address is too long.'),
  FST_ERR_ASYNC_CONSTRAINT: () => new ServiceError('unknown_url', 'There is nothing at this address.'),
}

/** Translates whatever was thrown. An unknown error becomes `internal_error` and says nothing about itself. */
export function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = frameworkErrors[code]?.()
  return known ?? new ServiceError('internal_error', 'The gateway failed to answer this request.', { cause: error })
}

/** Makes status, headers and body. Extra facts are inside `error`, where the OpenAI clients keep them. */
export function renderError(thrown: unknown): RenderedError {
  const error = serviceErrorOf(thrown)
  const { retryAfterSeconds, shouldRetry } = error
  const { status, type } = errorCodes[error.code]
  const retry =
    retryAfterSeconds === null
      ? {}
      : { 'retry-after': String(retryAfterSeconds), 'retry-after-ms': String(retryAfterSeconds * 1000) }
  return {
    status,
    headers: { ...retry, ...(shouldRetry === null ? {} : { 'x-should-retry': String(shouldRetry) }), ...error.headers },
    body: {
      error: { message: scrubKeys(error.message), type, param: error.param, code: error.code, ...error.details },
    },
    error,
  }
}
