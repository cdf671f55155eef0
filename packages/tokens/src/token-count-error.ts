/** Why a text was not counted. */
export type TokenCountFailure = 'too_large' | 'queue_full' | 'timeout' | 'worker_failed' | 'closed'

/** A text that was not counted. The caller decides what that means; nothing here is meant for a client. */
export class TokenCountError extends Error {
  readonly failure: TokenCountFailure

  constructor(failure: TokenCountFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TokenCountError'
    this.failure = failure
  }
}
