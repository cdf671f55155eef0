/** A transcript that comes piece by piece, as server-sent events. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ServiceError } from '../../platform/errors/service-error.ts'
import { type CollectedResponse, type ExchangeRequest, ResponseTooLargeError, startExchange } from '../http-exchange.ts'
import { AnswerEnd } from '../answer-end.ts'
import { FormFinder } from '../body-form.ts'
import { SseDecoder } from '../sse-decoder.ts'
import type { TranscriptEvent, UpstreamTranscript } from '../transcription-upstream.ts'
import { transportFailure, upstreamFailure, withBill } from '../upstream-failure.ts'
import { type AudioDeps, audioFailure, generationIdFrom, readUtf8Json } from './audio-upstream.ts'
import { findError } from './errors.ts'
import { isObject } from './usage.ts'

export interface TranscriptStreamOptions {
  readonly signal: AbortSignal
  /** Longest answer, all events together. */
  readonly bytesMax: number
  /** Null where the caller waits for the whole: then a part of it is nothing. */
  readonly onEvent: ((event: TranscriptEvent) => void) | null
  /** Reads an answer that is no stream: servers that know of none ignore the wish. */
  readonly readWhole: (response: CollectedResponse) => UpstreamTranscript
  /** Reads the last event; null when it is none. */
  readonly readLast: (
    answer: { readonly value: Readonly<Record<string, unknown>>; readonly source: Buffer },
    headers: IncomingHttpHeaders,
  ) => UpstreamTranscript | null
}

const DELTA = 'transcript.text.delta'
const SEGMENT = 'transcript.text.segment'
const LAST = 'transcript.text.done'

/** Whether an event brings something: a delta without a text is one that no client could read. */
function isPiece({ type, delta }: Readonly<Record<string, unknown>>): boolean {
  return type === DELTA ? typeof delta === 'string' : type === SEGMENT
}

/** Takes in one answer. */
class TranscriptReader {
  readonly #deps: AudioDeps
  readonly #options: TranscriptStreamOptions
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #decoder: SseDecoder | null = null
  #finder: FormFinder | null = null
  readonly #answerEnd: AnswerEnd
  /** All bytes, until they have turned out to be events: what was said may begin as events do. */
  #chunks: Buffer[] = []
  #length = 0
  #hasEvents = false
  #text = ''
  #hasPieces = false
  #transcript: UpstreamTranscript | null = null
  /** What an event said went wrong. */
  #failure: ServiceError | null = null

  /** @param onOver called when the transcript has come and nothing more does. */
  constructor(deps: AudioDeps, options: TranscriptStreamOptions, onOver: () => void) {
    this.#answerEnd = new AnswerEnd(onOver)
    this.#deps = deps
    this.#options = options
  }

  start(status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
    if (status === 200) this.#finder = new FormFinder(headers['content-type'])
  }

  /** @throws {ServiceError} when nothing more is wanted: it failed, or is too long. */
  data(chunk: Buffer): void {
    this.#length += chunk.length
    if (this.#length > this.#options.bytesMax) throw new ResponseTooLargeError(this.#options.bytesMax)
    const found = this.#finder === null ? { form: null, bytes: chunk } : this.#finder.add(chunk)
    if (found === null) return
    this.#finder = null
    if (found.form === 'events') this.#decoder = new SseDecoder((data) => this.#event(data))
    if (!this.#hasEvents) this.#chunks.push(found.bytes)
    this.#decoder?.push(found.bytes)
    if (this.#failure !== null) throw this.#failure
  }

  /** The transcript of an answer that is over. @throws {ServiceError} when there is none. */
  end(): UpstreamTranscript {
    this.#decoder?.end()
    if (!this.#hasEvents) {
      const body = Buffer.concat(this.#chunks)
      return this.#options.readWhole({ status: this.#status, headers: this.#headers, body })
    }
    this.#answerEnd.clear()
    if (this.#failure !== null) throw this.#failure
    return this.#transcript ?? this.cut(upstreamFailure('broken', { upstream: this.#deps.name, status: this.#status }))
  }

  /**
   * What there is of a transcript whose answer failed on its way.
   *
   * @throws {ServiceError} when nothing was delivered, or the upstream itself reported the failure.
   */
  cut(error: ServiceError): UpstreamTranscript {
    this.#answerEnd.clear()
    if (this.#transcript !== null) return this.#transcript
    if (error === this.#failure) throw error
    const generationId = generationIdFrom(this.#deps, this.#headers)
    if (!this.#hasPieces || this.#options.onEvent === null) {
      throw withBill(error, this.#deps.name, { cost: null, usage: null, generationId })
    }
    return { text: this.#text, value: {}, seconds: null, cost: null, generationId, cut: error }
  }

  #event(data: string): void {
    if (data === '[DONE]') this.#hasEvents = true
    if (data === '[DONE]' || this.#transcript !== null || this.#failure !== null) return
    const source = Buffer.from(data)
    const value = readUtf8Json(source)
    if (!isObject(value)) return
    this.#hasEvents = true
    this.#chunks = []
    if (findError(value) !== null) {
      this.#failure = audioFailure(this.#deps, { status: null, headers: this.#headers, value, source })
    } else if (value['type'] === LAST) {
      this.#transcript = this.#options.readLast({ value, source }, this.#headers)
      if (this.#transcript !== null) this.#answerEnd.whole(true)
    } else if (isPiece(value)) {
      this.#hasPieces = true
      if (typeof value['delta'] === 'string') this.#text += value['delta']
      this.#options.onEvent?.(value)
    }
  }
}

/**
 * Runs an exchange whose answer is a stream of pieces, or a whole transcript all the same.
 *
 * @throws {ServiceError} when it fails before the first piece, or says itself that it failed.
 */
export function streamTranscript(
  deps: AudioDeps,
  request: ExchangeRequest,
  options: TranscriptStreamOptions,
): Promise<UpstreamTranscript> {
  return new Promise((resolve, reject) => {
    const { signal } = options
    const reader = new TranscriptReader(deps, options, () => {
      finish(() => reader.end())
      exchange.abort(new Error('The answer is over'))
    })
    const finish = (transcript: () => UpstreamTranscript): void => {
      signal.removeEventListener('abort', onAbort)
      try {
        resolve(transcript())
      } catch (error) {
        reject(transportFailure(deps.name, error))
      }
    }
    const onAbort = (): void => {
      finish(() => reader.cut(transportFailure(deps.name, signal.reason)))
      exchange.abort(signal.reason as Error)
    }
    const exchange = startExchange(deps.client.dispatcher, request, {
      start: (status, headers) => reader.start(status, headers),
      data: (chunk) => {
        try {
          reader.data(chunk)
        } catch (error) {
          exchange.abort(error as Error)
        }
      },
      end: () => finish(() => reader.end()),
      fail: (error) => finish(() => reader.cut(transportFailure(deps.name, error))),
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
}
