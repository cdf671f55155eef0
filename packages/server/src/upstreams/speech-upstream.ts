/**
 * The port to an upstream that speaks text. As with chat, no caller knows which one serves, and every failure leaves
 * an adapter as a `ServiceError` whose text is safe to show.
 */
import type { Readable } from 'node:stream'
import type { SpeechFormat } from '../platform/audio/speech-format.ts'
import type { JsonBody } from '../platform/json/json-body.ts'

export interface UpstreamSpeechRequest {
  /** The client's JSON body as it came, and where its top-level values are. */
  readonly body: JsonBody
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  /** What the client gets; one of `formats`. */
  readonly format: SpeechFormat
  /** The voice by the upstream's name for it; null leaves it to the upstream. */
  readonly voice: string | null
  readonly confidential: boolean
  /** Ends the work: the caller has gone, the key was revoked, or the gateway stops. */
  readonly signal: AbortSignal
  /** W3C `traceparent` for an upstream that shall know the trace; absent tells it nothing. */
  readonly traceparent?: string
}

/** Audio that has begun to come. */
export interface UpstreamSpeech {
  readonly contentType: string
  /** The upstream's own id of this generation, to look its cost up by; null where it gives none. */
  readonly generationId: string | null
  /**
   * The audio, its first bytes there already and known to be no text. Reading slowly slows the upstream down. It fails
   * with a `ServiceError` when the audio breaks off.
   */
  readonly audio: Readable
}

export interface SpeechUpstream {
  /** What it can give, by itself or with what the adapter adds. */
  readonly formats: readonly SpeechFormat[]
  /**
   * Begins to speak; resolves once the first audio is there.
   *
   * @throws {ServiceError} when the upstream fails, refuses, is silent for too long, or sends what is no audio.
   */
  speak(request: UpstreamSpeechRequest): Promise<UpstreamSpeech>
}
