/** The adapter of speech for upstreams that speak OpenAI's `POST /audio/speech`. */
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import {
  deliveredContentType,
  pcmParameters,
  type SpeechFormat,
  speechFormats,
} from '../../platform/audio/speech-format.ts'
import { speechStart } from '../../platform/audio/speech-start.ts'
import { streamedWavHeader } from '../../platform/audio/wav-header.ts'
import { spliceMembers } from '../../platform/json/json-body.ts'
import { type Exchange, startExchange } from '../http-exchange.ts'
import type { SpeechUpstream, UpstreamSpeech, UpstreamSpeechRequest } from '../speech-upstream.ts'
import { transportFailure, upstreamFailure, withBill } from '../upstream-failure.ts'
import { type AudioDeps, audioFailure, generationIdFrom, readUtf8Json, refuseConfidential } from './audio-upstream.ts'

/** Longest answer that is read where audio was expected. */
const ERROR_BYTES_MAX = 64 * 1024

const AUDIO_TYPE = /^(?:audio\/|(?:application|binary)\/octet-stream\b)/i

/** The format to ask the upstream for: a WAV is samples with a header, which is made here where it has to be. */
function askedFormat({ dialect }: AudioDeps, format: SpeechFormat): SpeechFormat {
  const isMadeHere = format === 'wav' && !dialect.speechFormats.includes('wav')
  return isMadeHere ? 'pcm' : format
}

function speechRequest(deps: AudioDeps, request: UpstreamSpeechRequest) {
  const edits = new Map([
    ['model', JSON.stringify(request.upstreamModel)],
    // Always written: upstreams differ in what they take where it is absent.
    ['response_format', JSON.stringify(askedFormat(deps, request.format))],
    ...(request.voice === null ? [] : [['voice', JSON.stringify(request.voice)] as const]),
    // Events are made here, from the bytes.
    ...(request.body.members.has('stream_format') ? [['stream_format', 'null'] as const] : []),
    ...deps.dialect.speechMembers(request.body),
  ])
  return {
    patience: deps.client.patience,
    origin: deps.client.origin,
    path: `${deps.client.basePath}/audio/speech`,
    method: 'POST',
    headers: {
      ...deps.client.headers,
      accept: 'audio/*, application/octet-stream',
      'content-type': 'application/json',
      ...(request.traceparent === undefined ? {} : { traceparent: request.traceparent }),
    },
    body: spliceMembers(request.body, edits),
  } as const
}

/** Takes in the answer to one request: audio, or whatever came in its place. */
class SpeechReader {
  readonly #deps: AudioDeps
  readonly #asked: SpeechFormat
  readonly #format: SpeechFormat
  #status = 0
  #headers: IncomingHttpHeaders = {}
  /** Bytes of an answer that is no audio; null while it is one. */
  #page: Buffer[] | null = null
  #pageLength = 0
  #audio: Readable | null = null
  /** What may still turn out to be a text, such as an error under an audio type, or a header without audio. */
  readonly #doubt: Buffer[] = []

  constructor(deps: AudioDeps, format: SpeechFormat) {
    this.#deps = deps
    this.#format = format
    this.#asked = askedFormat(deps, format)
  }

  start(status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
    const type = headers['content-type']
    const isAudio = status === 200 && (type === undefined || AUDIO_TYPE.test(type))
    if (!isAudio) this.#page = []
  }

  /** @returns the audio, once, when its first bytes are here. */
  data(chunk: Buffer, exchange: Exchange): UpstreamSpeech | null {
    if (this.#page !== null) return this.#addToPage(chunk, exchange)
    if (this.#audio !== null) {
      if (!this.#audio.push(chunk)) exchange.pause()
      return null
    }
    const start = Buffer.concat([...this.#doubt.splice(0), chunk])
    const kind = speechStart(this.#asked, start)
    if (kind === 'page') {
      this.#page = []
      return this.#addToPage(start, exchange)
    }
    if (kind === 'audio' || start.length > ERROR_BYTES_MAX) return this.#open(start, exchange)
    this.#doubt.push(start)
    return null
  }

  #addToPage(chunk: Buffer, exchange: Exchange): null {
    this.#pageLength += chunk.length
    if (this.#pageLength > ERROR_BYTES_MAX) exchange.abort(this.failure())
    else this.#page?.push(chunk)
    return null
  }

  /** The answer is over. @returns the client's error when it was no audio. */
  end(): Error | null {
    if (this.#audio !== null) {
      this.#audio.push(null)
      return null
    }
    const doubt = Buffer.concat(this.#doubt.splice(0))
    if (doubt.length > 0 && speechStart(this.#asked, doubt) === 'text') this.#page = [doubt]
    if (this.#page !== null) return this.failure()
    return upstreamFailure('empty', {
      upstream: this.#deps.name,
      status: this.#status,
      generationId: this.#generationId,
    })
  }

  /** The answer broke off. @returns the client's error, with what its cost can be looked up by. */
  fail(thrown: unknown): Error {
    const { name } = this.#deps
    const error = transportFailure(name, thrown)
    this.#audio?.destroy(error)
    return withBill(error, name, { cost: null, usage: null, generationId: this.#generationId })
  }

  get #generationId(): string | null {
    return generationIdFrom(this.#deps, this.#headers)
  }

  failure(): Error {
    const source = Buffer.concat(this.#page ?? [])
    const value = readUtf8Json(source)
    return audioFailure(this.#deps, { status: this.#status, headers: this.#headers, value, source })
  }

  #open(first: Buffer, exchange: Exchange): UpstreamSpeech {
    const type = this.#headers['content-type'] ?? null
    const audio = new Readable({
      read: () => exchange.resume(),
      destroy: (error, done) => {
        // A reader that does not want the rest stops the upstream.
        if (!audio.readableEnded) exchange.abort(error ?? new Error('The audio is not read any more'))
        done(error)
      },
    })
    this.#audio = audio
    // It may break off before it is read; its reader then still learns why.
    audio.on('error', () => undefined)
    const isWrapped = this.#asked !== this.#format
    if (isWrapped) audio.push(streamedWavHeader(pcmParameters(type)))
    audio.push(first)
    return {
      contentType: deliveredContentType(this.#format, isWrapped ? null : type),
      generationId: this.#generationId,
      audio,
    }
  }
}

function speak(deps: AudioDeps, request: UpstreamSpeechRequest): Promise<UpstreamSpeech> {
  refuseConfidential(request)
  return new Promise((resolve, reject) => {
    const { signal } = request
    const reader = new SpeechReader(deps, request.format)
    const onAbort = (): void => {
      // At once: an exchange that still waits for its connection hears of the abort only then.
      reject(reader.fail(signal.reason))
      exchange.abort(signal.reason as Error)
    }
    const finish = (): void => signal.removeEventListener('abort', onAbort)
    const exchange = startExchange(deps.client.dispatcher, speechRequest(deps, request), {
      start: (status, headers) => reader.start(status, headers),
      data: (chunk) => {
        if (chunk.length === 0) return
        const speech = reader.data(chunk, exchange)
        if (speech !== null) resolve(speech)
      },
      end: () => {
        finish()
        const failure = reader.end()
        if (failure !== null) reject(failure)
      },
      fail: (error) => {
        finish()
        reject(reader.fail(error))
      },
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
}

/** Builds the adapter. */
export function createSpeechUpstream(deps: AudioDeps): SpeechUpstream {
  const own = deps.dialect.speechFormats
  return {
    formats: speechFormats.filter((format) => own.includes(format) || (format === 'wav' && own.includes('pcm'))),
    speak: (request) => speak(deps, request),
  }
}
