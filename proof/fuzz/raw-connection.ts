import { connect, type Socket } from 'node:net'
import { BrokenAnswerError, type RawAnswer, readAnswer } from './raw-answers.ts'

/** What became of one request. */
export type Exchange =
  | { readonly kind: 'answered'; readonly answer: RawAnswer }
  /** The connection ended without an answer, or, where it `hasBegun`, within one. */
  | { readonly kind: 'closed'; readonly hasBegun: boolean }
  | { readonly kind: 'hung' }
  | { readonly kind: 'broken'; readonly message: string }

/** How often the time of an answer is counted, in milliseconds. */
const BEAT_MS = 1_000

/** A connection that is kept while the server keeps it. One request at a time. */
export class RawConnection {
  readonly #port: number
  #socket: Socket | null = null
  #bytes: Buffer = Buffer.alloc(0)
  #onChange: () => void = () => undefined
  #isClosed = true

  constructor(port: number) {
    this.#port = port
  }

  #open(): Socket {
    if (this.#socket !== null && !this.#isClosed) return this.#socket
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true })
    this.#socket = socket
    this.#bytes = Buffer.alloc(0)
    this.#isClosed = false
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
      this.#onChange()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (this.#socket !== socket) return
      this.#isClosed = true
      this.#onChange()
    })
    return socket
  }

  /** Sends a request and waits for its answer. Unasked bytes are a broken answer. */
  async send(request: Buffer, options: { readonly toHead: boolean; readonly timeoutMs: number }): Promise<Exchange> {
    if (this.#bytes.length > 0) {
      const message = `bytes without a request: ${this.#bytes.toString('latin1').slice(0, 200)}`
      this.close()
      return { kind: 'broken', message }
    }
    const isUsed = this.#socket !== null && !this.#isClosed
    this.#open().write(request)
    const exchange = await this.#wait(options)
    if (exchange.kind === 'closed' && isUsed && !exchange.hasBegun) {
      // The server may end a connection between two requests; every client asks again then, on a fresh one.
      this.close()
      return this.send(request, options)
    }
    if (exchange.kind !== 'answered' || exchange.answer.headers['connection'] === 'close') this.close()
    return exchange
  }

  #wait({ toHead, timeoutMs }: { readonly toHead: boolean; readonly timeoutMs: number }): Promise<Exchange> {
    return new Promise((resolve) => {
      // Counted in beats: a proof that was itself held up, on a busy machine, says nothing about the gateway.
      let beats = Math.ceil(timeoutMs / BEAT_MS)
      const beat = setInterval(() => {
        if (--beats === 0) finish({ kind: 'hung' })
      }, BEAT_MS)
      const finish = (exchange: Exchange): void => {
        clearInterval(beat)
        this.#onChange = () => undefined
        resolve(exchange)
      }
      const look = (): void => {
        const answer = this.#take(toHead)
        if (answer !== null) finish(answer)
        else if (this.#isClosed) finish({ kind: 'closed', hasBegun: this.#bytes.length > 0 })
      }
      this.#onChange = look
      look()
    })
  }

  #take(toHead: boolean): Exchange | null {
    try {
      for (;;) {
        const answer = readAnswer(this.#bytes, toHead)
        if (answer === null) return null
        this.#bytes = this.#bytes.subarray(answer.length)
        if (answer.status >= 200) return { kind: 'answered', answer }
      }
    } catch (error) {
      if (!(error instanceof BrokenAnswerError)) throw error
      return { kind: 'broken', message: error.message }
    }
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
    this.#isClosed = true
    this.#bytes = Buffer.alloc(0)
  }
}
