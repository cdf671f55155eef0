/**
 * The port to an upstream that writes down what is said. As with chat, no caller knows which one serves, and every
 * failure leaves an adapter as a `ServiceError` whose text is safe to show.
 */
import type { Readable } from 'node:stream'
import type { ServiceError } from '../platform/errors/service-error.ts'
import type { AttoUsd } from '../pricing/price.ts'

/** What is done with the audio: written down as it is, or in English. */
export type TranscriptionTask = 'transcribe' | 'translate'

/** Forms of a transcript that carry everything that other forms are made from. */
export type UpstreamTranscriptFormat = 'json' | 'verbose_json' | 'diarized_json'

/** A file of a request, kept by the caller for as long as the call runs. */
export interface AudioFile {
  /** As the client wrote it; null where there is none. */
  readonly filename: string | null
  readonly contentType: string | null
  readonly byteLength: number
  /** The whole file, from its beginning. */
  stream(): Readable
}

export interface UpstreamTranscriptionRequest {
  readonly task: TranscriptionTask
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  readonly format: UpstreamTranscriptFormat
  readonly file: AudioFile
  /** Further fields of the form, in the client's order and words. */
  readonly fields: readonly { readonly name: string; readonly value: string }[]
  readonly confidential: boolean
  /** Ends the work: the key was revoked, or the gateway stops. */
  readonly signal: AbortSignal
  /** W3C `traceparent` for an upstream that shall know the trace; absent tells it nothing. */
  readonly traceparent?: string
}

/** A piece of a transcript on its way, in OpenAI's form: `transcript.text.delta` or `transcript.text.segment`. */
export type TranscriptEvent = Readonly<Record<string, unknown>>

/** What was said. */
export interface UpstreamTranscript {
  readonly text: string
  /** The answer as it came, for what it holds beside the text; empty when it was text alone. */
  readonly value: Readonly<Record<string, unknown>>
  /** Seconds of audio as the upstream counted them; null where it does not say. */
  readonly seconds: number | null
  /** What the upstream says that it cost; null where it does not. */
  readonly cost: AttoUsd | null
  readonly generationId: string | null
  /** Why it breaks off; null for a whole one. Pieces were delivered then, and `text` holds them. */
  readonly cut: ServiceError | null
}

export interface TranscriptionUpstream {
  readonly formats: readonly UpstreamTranscriptFormat[]
  readonly tasks: readonly TranscriptionTask[]
  /**
   * Writes down what is said.
   *
   * @param onEvent called for each piece where the upstream sends any; null asks for none.
   * @throws {ServiceError} when the upstream fails, refuses, is silent for too long, or answers nonsense.
   */
  transcribe(
    request: UpstreamTranscriptionRequest,
    onEvent: ((event: TranscriptEvent) => void) | null,
  ): Promise<UpstreamTranscript>
}
