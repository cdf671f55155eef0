import { errorCodes, type ErrorCode } from './error-codes.ts'
import { ownMember } from './own-member.ts'

/** What an error body and its headers said. */
export interface ApiErrorFields {
  readonly status: number
  readonly message: string
  readonly code: string | null
  readonly type: string | null
  readonly param: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  readonly retryAfterMs: number | null
}

/** The gateway answered with a failure. Branch on `code`, never on the message. */
export class ApiError extends Error {
  /** HTTP status; for a failure in mid-stream, the status that belongs to the code. */
  readonly status: number
  /** Null when the body was not the gateway's own, as from a proxy in between. */
  readonly code: string | null
  readonly type: string | null
  /** Path of the request field at fault. */
  readonly param: string | null
  /** The other fields inside `error`; amounts of money are exact decimal text. */
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  /** How long the gateway asks to wait before a retry. */
  readonly retryAfterMs: number | null

  constructor(fields: ApiErrorFields) {
    super(fields.message)
    this.name = 'ApiError'
    this.status = fields.status
    this.code = fields.code
    this.type = fields.type
    this.param = fields.param
    this.details = fields.details
    this.requestId = fields.requestId
    this.retryAfterMs = fields.retryAfterMs
  }

  /** Whether this is the failure that the code names. */
  is(code: ErrorCode): boolean {
    return this.code === code
  }
}

/** The gateway could not be reached, or the connection broke. What it did is unknown. */
export class ConnectionError extends Error {
  /** Whether another attempt fails in the same way, as where a certificate does not hold. */
  readonly isPermanent: boolean

  constructor(message: string, cause: unknown, { isPermanent = false }: { readonly isPermanent?: boolean } = {}) {
    super(message, { cause })
    this.name = 'ConnectionError'
    this.isPermanent = isPermanent
  }
}

/** Where an error body came from. */
export interface ErrorOrigin {
  /** Null inside a stream, whose status was 200. */
  readonly status: number | null
  readonly requestId: string | null
  readonly retryAfterMs: number | null
}

/**
 * Makes an `ApiError` of a body, whatever it is.
 *
 * @param body parsed JSON, or null when it was not JSON.
 */
export function apiErrorFrom(body: unknown, origin: ErrorOrigin): ApiError {
  const { message, type, param, code, ...details } = errorFieldsOf(body)
  const status = origin.status ?? statusOf(code)
  return new ApiError({
    ...origin,
    status,
    message: textOrNull(message) ?? `The gateway answered with status ${status}.`,
    code: textOrNull(code),
    type: textOrNull(type),
    param: textOrNull(param),
    details,
  })
}

function errorFieldsOf(body: unknown): Record<string, unknown> {
  const error: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : undefined
  return typeof error === 'object' && error !== null ? { ...error } : {}
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function statusOf(code: unknown): number {
  return ownMember(errorCodes, code)?.status ?? 502
}
