import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../platform/errors/service-error.ts'

/**
 * How many copies of a body are in memory while it is worked on: its bytes, its text, the strings of its values, and
 * what goes upstream. Measured: eight bodies of 31 MB made a gateway grow by some four times their bytes.
 */
export const BODY_COPIES = 4
/** Memory of one parsed value beside its text, in bytes: a slot, and the object around it. Source: own measurement. */
const VALUE_BYTES = 64

/** Memory that all request bodies may take at a time, in bytes. */
export interface BodyLimits {
  readonly bodyBytesInFlight: number
}

/**
 * Memory that all request bodies may take at a time. A body is counted with what is made of it, not by its bytes alone:
 * the promise is about the process's memory.
 */
export class BodyBudget {
  readonly #limits: BodyLimits
  #memory = 0

  /** @param limits are read with each part of a body. */
  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /**
   * Takes the memory of so many bytes of a body. @throws {ServiceError} `server_is_overloaded` when there is none left.
   */
  take(bytes: number): void {
    this.#take(bytes * BODY_COPIES)
  }

  give(bytes: number): void {
    this.#memory -= bytes * BODY_COPIES
  }

  /** Takes the memory of so many values that a body is parsed into. @throws {ServiceError} `server_is_overloaded`. */
  takeValues(count: number): void {
    this.#take(count * VALUE_BYTES)
  }

  giveValues(count: number): void {
    this.#memory -= count * VALUE_BYTES
  }

  #take(memory: number): void {
    if (this.#memory + memory > this.#limits.bodyBytesInFlight) {
      throw new ServiceError('server_is_overloaded', 'The gateway reads too many large requests at the moment.', {
        retryAfterSeconds: 1,
      })
    }
    this.#memory += memory
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
    // A client that left while the key was looked up sends no more events.
    if (request.destroyed) brokenOff(null)
  })
}
