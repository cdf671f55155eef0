import type { Server, ServerResponse } from 'node:http'

/** How often it is looked whether the last answers have left, in milliseconds. Source: own choice. */
const LOOK_MS = 10

/** The answers of a server that have not left it whole, so that a stop cuts none of them. */
export class OpenAnswers {
  readonly #answers = new Set<ServerResponse>()

  /** Follows the answers of a server. Call it before the server listens. */
  constructor(server: Server) {
    server.on('request', (_request, response) => {
      this.#answers.add(response)
      response.once('close', () => this.#answers.delete(response))
    })
    const closeIdle = server.closeIdleConnections.bind(server)
    // To Node a connection is idle once its answer was ended, although bytes of it may wait here.
    server.closeIdleConnections = () => {
      if (![...this.#answers].some(({ writableEnded }) => writableEnded)) closeIdle()
    }
  }

  /** Waits until all have left, and no longer than so many milliseconds. */
  async left(limitMs: number): Promise<void> {
    const until = performance.now() + limitMs
    while (this.#answers.size > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
}
