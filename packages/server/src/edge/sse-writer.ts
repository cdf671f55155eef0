import type { ServerResponse } from 'node:http'
import type { FrameWriter } from '../pipeline/frame-writer.ts'

/** A reader that takes nothing for so long is disconnected, in milliseconds. Source: own choice. */
export const READER_STALL_MS = 120_000

/** Never compressed and never kept back: each event leaves as it is made. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/**
 * Answers 200 and opens an event stream on a response.
 *
 * @param options.headers beside those of every stream.
 * @param options.keepAliveMs how often a comment keeps the stream open, in milliseconds.
 */
export function openSseWriter(
  response: ServerResponse,
  options: { readonly headers: Readonly<Record<string, string>>; readonly keepAliveMs: number },
): FrameWriter {
  response.writeHead(200, { ...options.headers, ...streamHeaders })
  return new SseWriter(response, options.keepAliveMs)
}

const TURN = Promise.resolve()

/** A comment, which readers of events pass over. */
const KEEP_ALIVE = ': keep-alive\n\n'

/**
 * Writes the frames of one stream. What is made in one turn of the event loop leaves in one write; the headers go with
 * the first.
 */
class SseWriter implements FrameWriter {
  readonly #response: ServerResponse
  readonly #keepAlive: NodeJS.Timeout
  #stall: NodeJS.Timeout | null = null
  #pending = ''
  #willFlush = false
  #hasBegun = false
  #isOver = false
  #onDrain: (() => void) | null = null

  constructor(response: ServerResponse, keepAliveMs: number) {
    this.#response = response
    this.#keepAlive = setInterval(() => {
      // A reader that is full needs no comment, and would only be filled further.
      if (this.#stall === null) this.write(KEEP_ALIVE)
    }, keepAliveMs).unref()
    const { socket } = response
    const drained = (): void => this.#drained()
    response.once('close', () => {
      this.#close()
      socket?.removeListener('drain', drained)
    })
    socket?.on('drain', drained)
    response.on('drain', drained)
    // Even without a frame the headers leave now, with a sign of life: some readers wait for the first byte.
    this.#flushSoon()
  }

  write(text: string): boolean {
    if (!this.#canWrite()) return true
    this.#pending += text
    this.#flushSoon()
    return !(this.#response.socket ?? this.#response).writableNeedDrain
  }

  end(text: string): void {
    if (!this.#canWrite()) return
    const rest = this.#pending + text
    this.#close()
    this.#response.end(rest)
    // Nothing more comes that could find the reader full, and what waits for them is kept until they take it.
    this.#awaitReader()
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  #canWrite(): boolean {
    return !this.#isOver && !this.#response.destroyed
  }

  #flushSoon(): void {
    if (this.#willFlush) return
    this.#willFlush = true
    // A microtask, since it comes once a chunk and costs a fraction of a tick.
    void TURN.then(this.#flush)
  }

  readonly #flush = (): void => {
    this.#willFlush = false
    if (!this.#canWrite()) return
    const text = this.#pending
    this.#pending = ''
    if (!this.#send(text)) this.#awaitReader()
  }

  /**
   * Writes a piece. Once the headers are out, the chunk is framed here and handed to the socket as one text: the
   * response's own way takes four pieces for it, which is a third of what a chunk costs.
   * Source: RFC 9112 section 7.1 (chunked transfer coding).
   *
   * @returns false when the reader is full.
   */
  #send(text: string): boolean {
    const response = this.#response
    const { socket } = response
    const isFirst = !this.#hasBegun
    this.#hasBegun = true
    if (text === '') return isFirst ? response.write(KEEP_ALIVE) : true
    // With the headers, behind another answer on the same connection, or for a reader of HTTP/1.0.
    const isAhead = socket !== null && response.writableLength === socket.writableLength
    if (isFirst || !isAhead || !response.chunkedEncoding) return response.write(text)
    const bytes = Buffer.byteLength(text)
    // Text of one byte a character needs no encoding.
    return socket.write(`${bytes.toString(16)}\r\n${text}\r\n`, bytes === text.length ? 'latin1' : 'utf8')
  }

  #drained(): void {
    this.#clearStall()
    this.#onDrain?.()
  }

  #awaitReader(): void {
    this.#stall ??= setTimeout(() => this.#response.destroy(), READER_STALL_MS).unref()
  }

  #clearStall(): void {
    if (this.#stall !== null) clearTimeout(this.#stall)
    this.#stall = null
  }

  #close(): void {
    this.#isOver = true
    this.#pending = ''
    clearInterval(this.#keepAlive)
    this.#clearStall()
  }
}
