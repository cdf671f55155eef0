/**
 * One HTTP exchange with an upstream, on undici's dispatcher and Node's own buffers: no `fetch` and no web streams,
 * which cost several times the CPU of the whole request. Redirects are not followed, so the upstream's key never
 * reaches another host.
 */
import { ownMember } from '@svc/contract'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import zlib from 'node:zlib'
import type { Dispatcher } from 'undici'
import { type Patience, SilenceWatch } from './silence-watch.ts'

export interface ExchangeRequest {
  readonly origin: string
  readonly path: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  /** A stream is sent as it comes; its `content-length` is in the headers. It is destroyed at every end. */
  readonly body: Buffer | Readable | null
  /** Longest wait for the answer's headers, in milliseconds, where it is not the usual one of this upstream. */
  readonly headersTimeoutMs?: number
  /** How long the answer may let us wait, by what it says; absent: by its bytes alone, as its dispatcher has it. */
  readonly patience?: Patience
}

export interface CollectedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The answer is longer than we are willing to keep. */
export class ResponseTooLargeError extends Error {
  constructor(bytesMax: number) {
    super(`The upstream's answer is longer than ${bytesMax} bytes`)
    this.name = 'ResponseTooLargeError'
  }
}

/** An exchange failed before any of its request was sent: the upstream cannot have worked for it. */
export class UnsentError extends Error {
  constructor(cause: unknown) {
    super('The request was never sent', { cause })
    this.name = 'UnsentError'
  }
}

/**
 * Statuses that say with other words that the answer is there: some frameworks answer every POST with 201. Clients take
 * each of them for a success, and so does who reads an exchange: for a 200.
 */
const ALSO_OK: ReadonlySet<number> = new Set([201, 202, 203])

/** What a reader of an exchange gets, in order; `end` or `fail` comes exactly once and last. */
export interface ExchangeReader {
  start(status: number, headers: IncomingHttpHeaders): void
  data(chunk: Buffer): void
  /** Whether the last data brought a part of the answer. Absent: all did that says something. */
  isNew?(): boolean
  end(): void
  /** @param error an `UnsentError` when the request never left. */
  fail(error: Error): void
}

/** A running exchange. Pausing stops reading from the socket. */
export interface Exchange {
  pause(): void
  resume(): void
  abort(reason: Error): void
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

/**
 * Feeds a reader through a decoder. Upstreams are asked for plain bytes, some compress all the same.
 * Pausing the exchange then pauses the decoder, whose full buffer pauses the socket.
 */
function decodedReader(
  decoder: Transform,
  reader: ExchangeReader,
  socket: Dispatcher.DispatchController,
): ExchangeReader {
  decoder.on('data', (chunk: Buffer) => reader.data(chunk))
  decoder.on('end', () => reader.end())
  decoder.on('error', (error) => {
    // What cannot be decoded need not be sent. When the exchange itself has failed, this does nothing.
    socket.abort(error)
    reader.fail(error)
  })
  decoder.on('drain', () => socket.resume())
  return {
    start: () => undefined,
    data: (chunk) => {
      if (!decoder.write(chunk)) socket.pause()
    },
    end: () => decoder.end(),
    fail: (error) => decoder.destroy(error),
  }
}

/**
 * The decoder that an answer needs: null for plain bytes, undefined for an encoding that was not asked for and cannot
 * knows, or for several of them. The header may appear more than once.
 */
function decoderFor(headers: IncomingHttpHeaders): Transform | null | undefined {
  const words = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
  const encodings = words.map((word) => word.trim()).filter((word) => word !== '' && word !== 'identity')
  const [encoding, ...others] = encodings
  if (encoding === undefined) return null
  return others.length > 0 ? undefined : ownMember(decoders, encoding)?.()
}

/** Whether a piece of an answer is none of it: blanks, and the comments of an event stream. */
export function saysNothing(chunk: Buffer): boolean {
  const start = chunk.findIndex((byte) => !isSpace(byte))
  if (start === -1) return true
  if (chunk[start] !== COLON) return false
  const lines = chunk.toString('latin1', start).split(/[\r\n]+/)
  return lines.every((line) => line === '' || line.startsWith(':'))
}

const COLON = 0x3a

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Tells the watch which pieces are a part of the answer. */
function watchedReader(reader: ExchangeReader, watch: SilenceWatch): ExchangeReader {
  return {
    start: (status, headers) => {
      watch.start()
      reader.start(status, headers)
    },
    data: (chunk) => {
      reader.data(chunk)
      if (reader.isNew?.() ?? !saysNothing(chunk)) watch.progressed()
    },
    end: () => {
      watch.stop()
      reader.end()
    },
    fail: (error) => {
      watch.stop()
      reader.fail(error)
    },
  }
}

/** Starts an exchange. Nothing is thrown: every failure reaches the reader. */
export function startExchange(dispatcher: Dispatcher, request: ExchangeRequest, receiver: ExchangeReader): Exchange {
  let controller: Dispatcher.DispatchController | null = null
  let decoder: Transform | null = null
  let abortReason: Error | null = null
  const { patience } = request
  const watch = patience === undefined ? null : new SilenceWatch(patience, (error) => exchange.abort(error))
  const reader = watch === null ? receiver : watchedReader(receiver, watch)
  let active: ExchangeReader = reader
  const exchange: Exchange = {
    pause: () => {
      watch?.pause()
      ;(decoder ?? controller)?.pause()
    },
    resume: () => {
      watch?.resume()
      ;(decoder ?? controller)?.resume()
    },
    abort: (reason) => {
      abortReason ??= reason
      controller?.abort(reason)
      // An answer that has come whole may still wait in its decoder, where no abort of the exchange finds it.
      decoder?.destroy(reason)
    },
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (abortReason !== null) started.abort(abortReason)
    },
    onResponseStart(started, status, headers) {
      if (status < 200) return
      const found = decoderFor(headers)
      if (found === undefined) return started.abort(new Error('The upstream answers in an unknown content encoding'))
      reader.start(ALSO_OK.has(status) ? 200 : status, headers)
      if (found === null) return
      decoder = found
      active = decodedReader(found, reader, started)
    },
    onResponseData: (_started, chunk) => {
      watch?.heard()
      active.data(chunk)
    },
    onResponseEnd: () => active.end(),
    // A request is announced just before its first byte is written.
    onResponseError: (_started, error) => active.fail(controller === null ? new UnsentError(error) : error),
  }
  dispatcher.dispatch(
    {
      origin: request.origin,
      path: request.path,
      method: request.method,
      headers: request.headers,
      body: request.body,
      ...(request.headersTimeoutMs === undefined ? {} : { headersTimeout: request.headersTimeoutMs }),
      ...(watch === null ? {} : { bodyTimeout: 0 }),
    },
    handler,
  )
  return exchange
}

/**
 * Runs an exchange to its end and keeps the whole answer.
 *
 * @throws {ResponseTooLargeError} when the answer is longer than `bytesMax`.
 * @throws undici's errors for everything that goes wrong on the way, and the signal's reason when it aborts.
 */
export function collectResponse(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  options: {
    readonly signal: AbortSignal
    readonly bytesMax: number
    /** Called once with the headers: what they say is all there is of an answer that breaks off. */
    readonly onStart?: (headers: IncomingHttpHeaders) => void
  },
): Promise<CollectedResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    let status = 0
    let headers: IncomingHttpHeaders = {}
    const { signal, bytesMax } = options
    const settle = (): void => signal.removeEventListener('abort', onAbort)
    const onAbort = (): void => {
      settle()
      // At once: an exchange that still waits for its connection hears of the abort only then.
      reject(signal.reason as Error)
      exchange.abort(signal.reason as Error)
    }
    const exchange = startExchange(dispatcher, request, {
      start: (startedStatus, startedHeaders) => {
        status = startedStatus
        headers = startedHeaders
        options.onStart?.(startedHeaders)
      },
      data: (chunk) => {
        length += chunk.length
        if (length > bytesMax) exchange.abort(new ResponseTooLargeError(bytesMax))
        else chunks.push(chunk)
      },
      end: () => {
        settle()
        resolve({ status, headers, body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) })
      },
      fail: (error) => {
        settle()
        reject(error)
      },
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
}
