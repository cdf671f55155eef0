/** The adapter of transcription for upstreams that speak OpenAI's `POST /audio/transcriptions`. */
import type { IncomingHttpHeaders } from 'node:http'
import type { CollectedResponse } from '../http-exchange.ts'
import { createMultipartBody } from '../multipart-body.ts'
import type {
  TranscriptionUpstream,
  UpstreamTranscript,
  UpstreamTranscriptionRequest,
} from '../transcription-upstream.ts'
import { upstreamFailure } from '../upstream-failure.ts'
import { type AudioDeps, audioFailure, generationIdFrom, readUtf8Json, refuseConfidential } from './audio-upstream.ts'
import { readCost } from './cost.ts'
import { findError } from './errors.ts'
import { streamTranscript } from './transcript-stream.ts'
import { costOfFailure, isObject } from './usage.ts'

/** Longest transcript that is kept. Source: own choice; a day of speech with the time of each word is less. */
const TRANSCRIPT_BYTES_MAX = 32 * 1024 * 1024

const paths = { transcribe: '/audio/transcriptions', translate: '/audio/translations' } as const

function transcriptionRequest(deps: AudioDeps, request: UpstreamTranscriptionRequest, stream: boolean) {
  const fields = [
    { name: 'model', value: request.upstreamModel },
    { name: 'response_format', value: request.format },
    ...request.fields,
    ...(stream ? [{ name: 'stream', value: 'true' }] : []),
  ]
  const form = createMultipartBody(fields, request.file)
  return {
    patience: deps.client.patience,
    origin: deps.client.origin,
    path: `${deps.client.basePath}${paths[request.task]}`,
    method: 'POST',
    headers: {
      ...deps.client.headers,
      accept: stream ? 'text/event-stream, application/json' : 'application/json',
      ...form.headers,
      ...(request.traceparent === undefined ? {} : { traceparent: request.traceparent }),
    },
    body: form.body,
  } as const
}

/** Seconds that can be believed. */
function secondsOf(...values: unknown[]): number | null {
  for (const value of values) {
    const seconds = typeof value === 'string' ? Number(value) : value
    if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0) return seconds
  }
  return null
}

/** Reads a transcript out of an object with `text` and `usage`: a whole answer, or the last event of a stream. */
export function readTranscript(
  deps: AudioDeps,
  answer: { readonly value: Readonly<Record<string, unknown>>; readonly source: Buffer },
  headers: IncomingHttpHeaders,
): UpstreamTranscript | null {
  const { value, source } = answer
  const { text } = value
  if (typeof text !== 'string') return null
  const usage = isObject(value['usage']) ? value['usage'] : {}
  return {
    text,
    value,
    seconds: secondsOf(usage['seconds'], value['duration']),
    cost: readCost(() => source, { usage, path: ['usage'] }, deps.dialect),
    generationId: generationIdFrom(deps, headers),
    cut: null,
  }
}

const PLAIN_TYPE = /^(?:text\/(?:plain|vtt|srt)|application\/x-subrip)\b/i
/** A page that calls itself plain text. */
const PAGE = /^\s{0,64}<(?:!doctype html|html)\b/i

/**
 * A transcript of plain text: some servers answer so whatever they were asked for. What was said may look like anything,
 * JSON too.
 */
function readPlainText(deps: AudioDeps, { headers, body }: CollectedResponse): UpstreamTranscript | null {
  if (!PLAIN_TYPE.test(headers['content-type'] ?? '') || PAGE.test(body.toString('latin1', 0, 128))) return null
  const text = body.toString('utf8').trim()
  return { text, value: {}, seconds: null, cost: null, generationId: generationIdFrom(deps, headers), cut: null }
}

function readAnswer(deps: AudioDeps, response: CollectedResponse): UpstreamTranscript {
  const { status, headers, body } = response
  const value = readUtf8Json(body)
  if (status !== 200 || findError(value) !== null) throw audioFailure(deps, { status, headers, value, source: body })
  const told = isObject(value) ? readTranscript(deps, { value, source: body }, headers) : null
  const transcript = told ?? readPlainText(deps, response)
  if (transcript !== null) return transcript
  const generationId = generationIdFrom(deps, headers)
  const cost = costOfFailure(value, () => body, deps.dialect)
  throw upstreamFailure('broken', { upstream: deps.name, status, cost, generationId })
}

/** Builds the adapter. */
export function createTranscriptionUpstream(deps: AudioDeps): TranscriptionUpstream {
  const { transcriptFormats, translates, streamsTranscripts } = deps.dialect
  return {
    formats: transcriptFormats,
    tasks: translates ? ['transcribe', 'translate'] : ['transcribe'],
    transcribe: (request, onEvent) => {
      refuseConfidential(request)
      const isStreamed = onEvent !== null && streamsTranscripts
      return streamTranscript(deps, transcriptionRequest(deps, request, isStreamed), {
        signal: request.signal,
        bytesMax: TRANSCRIPT_BYTES_MAX,
        onEvent,
        readWhole: (response) => readAnswer(deps, response),
        readLast: (answer, headers) => readTranscript(deps, answer, headers),
      })
    },
  }
}
