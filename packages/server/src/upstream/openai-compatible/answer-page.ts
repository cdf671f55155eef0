import type { IncomingHttpHeaders } from 'node:http'
import type { CollectedResponse } from '../http-exchange.ts'
import type { UpstreamFailure } from '../upstream-failure.ts'
import type { ChatStreamReader } from './chat-stream.ts'
import { findError } from './errors.ts'
import { isObject } from './usage.ts'

/** Longest answer that is kept in memory. Source: own choice; pictures in answers are the largest seen. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** Longest error page that is read. */
export const ERROR_BYTES_MAX = 64 * 1024

/** How JSON begins that is no event. */
export const OPEN_BRACE = 0x7b

/** How a stream of events begins. */
const EVENTS = /^(?:\u00ef\u00bb\u00bf)?\s*(?:data|event|id|retry)?:/

/** How the words of one upstream are understood. */
export interface PageReading {
  /** Undefined for what is no JSON. */
  readonly readAnswer: (body: Buffer) => unknown
  readonly failureOf: (response: CollectedResponse, value: unknown) => UpstreamFailure
}

/** Reads what came in the place of a stream up to a limit, then says what it means. */
export class AnswerPage {
  readonly #status: number
  readonly #headers: IncomingHttpHeaders
  readonly #reading: PageReading
  readonly #chunks: Buffer[] = []
  #length = 0

  constructor(status: number, headers: IncomingHttpHeaders, reading: PageReading) {
    this.#status = status
    this.#headers = headers
    this.#reading = reading
  }

  /** @returns false when the page is longer than anybody reads. */
  add(chunk: Buffer): boolean {
    this.#length += chunk.length
    if (this.#length > (this.#status === 200 ? ANSWER_BYTES_MAX : ERROR_BYTES_MAX)) return false
    this.#chunks.push(chunk)
    return true
  }

  failure(): UpstreamFailure {
    const body = Buffer.concat(this.#chunks)
    const response = { status: this.#status, headers: this.#headers, body }
    return this.#reading.failureOf(response, this.#reading.readAnswer(body))
  }

  /**
   * Tells a reader an answer that is one all the same: whole, from a server that streams nothing, or events under
   * another content type.
   *
   * @returns false when it is none, and nothing was told.
   */
  tell(open: (headers: IncomingHttpHeaders) => ChatStreamReader): boolean {
    if (this.#status !== 200) return false
    const body = Buffer.concat(this.#chunks)
    const value = this.#reading.readAnswer(body)
    const isAnswer = isObject(value) && Array.isArray(value['choices']) && value['choices'].some(isObject)
    if (isAnswer && findError(value) === null) {
      open(this.#headers).whole(value, body)
      return true
    }
    if (value !== undefined || !EVENTS.test(body.toString('latin1', 0, 64))) return false
    const reader = open(this.#headers)
    reader.data(body)
    reader.close()
    return true
  }
}
