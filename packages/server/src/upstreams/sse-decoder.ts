/**
 * Server-sent events from bytes. Lines end with LF, CR or CRLF, split anywhere between two reads; bytes become text
 * only when a line is whole, so no character is ever cut. Source: WHATWG HTML, "Server-sent events", parsing an event
 * stream.
 */
import { textStart } from '../platform/json/json-body.ts'

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20
/** The fields that are read. */
const DATA = Buffer.from('data')
const EVENT = Buffer.from('event')
const EMPTY = Buffer.alloc(0)

const BLANK = /^\s*$/

/** Longest event that is accepted, in bytes. An image in a chunk is the largest thing seen. */
export const EVENT_BYTES_MAX = 32 * 1024 * 1024

/** An event is longer than `EVENT_BYTES_MAX`. */
export class EventTooLongError extends Error {
  constructor() {
    super(`An event is longer than ${EVENT_BYTES_MAX} bytes`)
    this.name = 'EventTooLongError'
  }
}

/** Turns pushed bytes into events. One instance per stream. */
export class SseDecoder {
  readonly #onEvent: (data: string, name: string | null) => void
  /** The begun line, in the pieces that came: joined once, when its end is there. */
  #pieces: Buffer[] = []
  #pending = 0
  #data: string | null = null
  /** What the begun event calls itself. */
  #name: string | null = null
  #skipLineFeed = false
  #isFirstLine = true

  /**
   * @param onEvent gets the data of each event that has any, lines joined by LF, and the event's name where it has one.
   *   An event whose data is blank is a sign of life and no event.
   */
  constructor(onEvent: (data: string, name: string | null) => void) {
    this.#onEvent = onEvent
  }

  /** @throws {EventTooLongError} */
  push(bytes: Buffer): void {
    let chunk = bytes
    if (this.#skipLineFeed && chunk.length > 0) {
      this.#skipLineFeed = false
      if (chunk[0] === LF) chunk = chunk.subarray(1)
    }
    const hasReturns = chunk.includes(CR)
    if (this.#pending === 0 || hasReturns || chunk.includes(LF)) this.#lines(this.#joined(chunk), hasReturns)
    else this.#keep(chunk)
    if (this.#pending + (this.#data?.length ?? 0) > EVENT_BYTES_MAX) throw new EventTooLongError()
  }

  /** The stream is over: an event that only lacks its closing blank line is still delivered. */
  end(): void {
    const rest = this.#joined(EMPTY)
    if (rest.length > 0) this.#line(rest, 0, rest.length)
    this.#dispatch()
  }

  #keep(chunk: Buffer): void {
    if (chunk.length === 0) return
    // A copy, since the socket's buffer is shared and may be large.
    this.#pieces.push(Buffer.from(chunk))
    this.#pending += chunk.length
  }

  #joined(chunk: Buffer): Buffer {
    if (this.#pending === 0) return chunk
    const joined = Buffer.concat([...this.#pieces, chunk])
    this.#pieces = []
    this.#pending = 0
    return joined
  }

  #lines(chunk: Buffer, hasReturns: boolean): void {
    const nextEnd = hasReturns ? lineEnds(chunk) : (from: number): number => chunk.indexOf(LF, from)
    let lineStart = 0
    for (let end = nextEnd(0); end !== -1; end = nextEnd(lineStart)) {
      this.#line(chunk, lineStart, end)
      lineStart = end + 1
      if (!hasReturns || chunk[end] !== CR) continue
      if (lineStart === chunk.length) this.#skipLineFeed = true
      else if (chunk[lineStart] === LF) lineStart++
    }
    this.#keep(chunk.subarray(lineStart))
  }

  #line(chunk: Buffer, start: number, end: number): void {
    // A byte order mark may come first.
    const from = this.#isFirstLine ? start + textStart(chunk.subarray(start, end)) : start
    this.#isFirstLine = false
    if (from === end) return this.#dispatch()
    const value = readField(chunk, from, end, DATA)
    if (value !== null) this.#data = this.#data === null ? value : `${this.#data}\n${value}`
    else this.#name = readField(chunk, from, end, EVENT) ?? this.#name
  }

  #dispatch(): void {
    const [data, name] = [this.#data, this.#name]
    this.#data = null
    this.#name = null
    if (data !== null && !BLANK.test(data)) this.#onEvent(data, name)
  }
}

/** The value of a line that begins with a field's name; null for any other. */
function readField(chunk: Buffer, start: number, end: number, name: Buffer): string | null {
  const nameEnd = start + name.length
  if (nameEnd > end) return null
  for (let at = 0; at < name.length; at++) if (chunk[start + at] !== name[at]) return null
  if (nameEnd !== end && chunk[nameEnd] !== COLON) return null
  const valueStart = Math.min(nameEnd + (chunk[nameEnd + 1] === SPACE ? 2 : 1), end)
  return chunk.toString('utf8', valueStart, end)
}

/**
 * Finds the end of the line that begins at a place, for places that come in order. The next end of the other kind is
 * remembered: searching again after each line for one that is far away, or absent, would take quadratic time.
 */
function lineEnds(chunk: Buffer): (from: number) => number {
  let feed = -1
  let back = -1
  const next = (known: number, byte: number, from: number): number => {
    if (known >= from) return known
    const found = chunk.indexOf(byte, from)
    return found === -1 ? chunk.length : found
  }
  return (from) => {
    feed = next(feed, LF, from)
    back = next(back, CR, from)
    const end = Math.min(feed, back)
    return end === chunk.length ? -1 : end
  }
}
