import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The connection ends behind this answer; whatever else comes on it was refused already. */
  isLast: boolean
}

/**
 * The last request of each connection, so that what the parser refuses is answered at most once and never in the
 * place, or in the middle, of another answer.
 */
export class LastExchanges {
  readonly #last = new WeakMap<Duplex, Exchange>()

  note(request: IncomingMessage, response: ServerResponse): void {
    this.#last.set(request.socket, { request, response, isLast: false })
  }

  /**
   * Whether a refusal may be written on a connection now. Where it may not, the connection is ended: behind the
   * answer that is still under way, or at once when the request that is broken was answered before.
   */
  admitsRefusal(socket: Duplex): boolean {
    const last = this.#last.get(socket)
    if (last === undefined) return true
    const { request, response } = last
    if (response.writableFinished) {
      if (!request.complete) socket.destroy()
      return request.complete
    }
    if (!request.complete && !response.headersSent) return true
    // The parser reports every further piece, too.
    if (!last.isLast) response.once('finish', () => socket.end())
    last.isLast = true
    return false
  }
}
