import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../errors/service-error.ts'

/** Bytes of request bodies that may be in memory at a time, over all requests. */
export class BodyBudget {
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** @throws {ServiceError} `server_is_overloaded` when memory for bodies is used up. */
  take(bytes: number): void {
    if (this.#bytes + bytes > this.#bytesMax) {
      throw new ServiceError('server_is_overloaded', 'The gateway reads too many large requests at the moment.', {
        retryAfterSeconds: 1,
      })
    }
    this.#bytes += bytes
  }

  give(bytes: number): void {
    this.#bytes -= bytes
  }
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('request_too_large', `The body is larger than ${bytesMax} bytes.`, {
    // The rest of the body stays unread, so the connection cannot carry another request.
    headers: { connection: 'close' },
  })
}

/**
 * Reads a request's body whole.
 *
 * @param limits.budget shared by all requests; what this body takes from it is given back by the caller of `release`.
 * @throws {ServiceError} 413 above the size limit, 503 when too much is in flight, 400 when the client breaks off.
 */
export function readBody(
  request: IncomingMessage,
  limits: { readonly bytesMax: number; readonly budget: BodyBudget },
): Promise<{ readonly body: Buffer; readonly release: () => void }> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limits.bytesMax) return Promise.reject(tooLarge(limits.bytesMax))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let taken = 0
    const release = (): void => {
      limits.budget.give(taken)
      taken = 0
    }
    const stop = (error: unknown): void => {
      request.removeAllListeners('data')
      request.resume()
      chunks.length = 0
      release()
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    request.on('data', (chunk: Buffer) => {
      try {
        limits.budget.take(chunk.length)
        taken += chunk.length
        if (taken > limits.bytesMax) throw tooLarge(limits.bytesMax)
        chunks.push(chunk)
      } catch (error) {
        stop(error)
      }
    })
    request.on('end', () => {
      resolve({ body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), release })
    })
    const brokenOff = (cause: unknown): void => {
      stop(new ServiceError('invalid_json', 'The body ended before it was complete.', { cause }))
    }
    request.on('error', brokenOff)
    request.on('close', () => {
      if (!request.readableEnded) brokenOff(null)
    })
    // Whoever left while the key was looked up sends no more events.
    if (request.destroyed) brokenOff(null)
  })
}
