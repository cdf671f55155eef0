/**
 * A programmer's mistake: something that cannot happen did. Never shown to a client, who gets a plain `internal_error`.
 */
export class InvariantError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'InvariantError'
  }
}
