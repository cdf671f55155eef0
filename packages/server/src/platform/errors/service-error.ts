import { errorCodes, type ErrorCode } from '@svc/contract'

/** What a thrower may say beside the public message. */
export interface ServiceErrorOptions {
  /** Path of the request field at fault, as the client wrote it; null when no single field is. */
  readonly param?: string | null
  /** Facts for operators: logged once at the edge, never sent. */
  readonly internal?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
  /** Seconds after which a retry makes sense; becomes `retry-after` and `retry-after-ms`. */
  readonly retryAfterSeconds?: number
  /** Value of `x-should-retry`, which the OpenAI clients obey; absent leaves the choice to them. */
  readonly shouldRetry?: boolean
  /** Extra fields inside `error`, for money facts that a client program reads. Values must be JSON-safe. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Extra response headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The only kind of error that a client may see.
 *
 * `message` is public. The status and the wire type follow from the code alone, by the contract's table.
 * Source: spec 7, decision 0010 (the body of errors).
 */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly param: string | null
  readonly internal: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | null
  readonly shouldRetry: boolean | null
  readonly details: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.code = code
    this.param = options.param ?? null
    this.internal = options.internal ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
    this.shouldRetry = options.shouldRetry ?? null
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
  }

  /** All that it says beside its message and its cause: an error that is made with it says the same. */
  get options(): ServiceErrorOptions {
    const { param, internal, details, headers, retryAfterSeconds, shouldRetry } = this
    return {
      ...{ param, internal, details, headers },
      ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
      ...(shouldRetry === null ? {} : { shouldRetry }),
    }
  }

  /** The same error in other words. */
  renamed(changed: { readonly message?: string; readonly param: string }): ServiceError {
    const { param, message = this.message } = changed
    return new ServiceError(this.code, message, { ...this.options, param, cause: this })
  }

  get status(): number {
    return errorCodes[this.code].status
  }
}
