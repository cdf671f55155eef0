/**
 * A failure in the words of an upstream: what the sandbox sends when it refuses a request. It never meets a client
 * directly.
 */
export class SandboxError extends Error {
  readonly status: number
  readonly errorType: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, errorType: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'SandboxError'
    this.status = status
    this.errorType = errorType
    this.headers = headers
  }
}

/** A request that no model takes. */
export function invalidRequest(message: string): SandboxError {
  return new SandboxError(400, 'invalid_request', message)
}

/** What a scripted model answers that refuses. */
export function refusalError(refusal: {
  readonly status: number
  readonly errorType: string
  readonly message: string
  readonly retryAfterSeconds?: number
}): SandboxError {
  const { status, errorType, message, retryAfterSeconds: wait } = refusal
  return new SandboxError(status, errorType, message, wait === undefined ? {} : { 'retry-after': String(wait) })
}

/** The body of a failure. Source: the OpenRouter API reference, "Errors": a numeric code, a message, and metadata. */
export function renderSandboxError(error: SandboxError): string {
  const { status, message, errorType } = error
  return JSON.stringify({
    error: { code: status, message, metadata: { error_type: errorType, provider_name: 'Sandbox' } },
  })
}
