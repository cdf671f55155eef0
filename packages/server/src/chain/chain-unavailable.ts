/**
 * A chain that cannot be asked, or whose answers cannot be believed, now. Nothing was decided; the same question may be
 * asked again.
 *
 * The message is for operators and holds no address of a provider: those may carry keys.
 */
export class ChainUnavailableError extends Error {
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds = 10) {
    super(message)
    this.name = 'ChainUnavailableError'
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * A provider's plain refusal of one question, such as a method that it does not have or a state that it has dropped.
 */
export class RpcRefusalError extends Error {
  /** The code of JSON-RPC, such as -32601. */
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'RpcRefusalError'
    this.code = code
  }
}
