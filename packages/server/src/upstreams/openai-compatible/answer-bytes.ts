import { ResponseTooLargeError } from '../http-exchange.ts'

/** Longest answer that is kept in memory. Source: own choice; images in answers are the largest seen. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** Longest error page that is read. */
export const ERROR_BYTES_MAX = 64 * 1024

/** The bytes of an answer that is read whole, up to a limit. */
export class AnswerBytes {
  readonly #bytesMax: number
  readonly #chunks: Buffer[] = []
  #length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** @throws {ResponseTooLargeError} */
  add(chunk: Buffer): void {
    this.#length += chunk.length
    if (this.#length > this.#bytesMax) throw new ResponseTooLargeError(this.#bytesMax)
    this.#chunks.push(chunk)
  }

  joined(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)
  }
}
