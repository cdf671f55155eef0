/** The port to an upstream that turns texts into vectors. */
import type { JsonBody } from '../platform/json/json-body.ts'
import type { ReportedUsage } from './chat-upstream.ts'

export interface UpstreamEmbeddingRequest {
  /** The client's JSON body as it came, and where its top-level values are. */
  readonly body: JsonBody
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  /** How many vectors the answer must have. */
  readonly count: number
  readonly confidential: boolean
  /** Ends the work: the key was revoked, or the gateway stops. */
  readonly signal: AbortSignal
  /** W3C `traceparent` for an upstream that shall know the trace; absent tells it nothing. */
  readonly traceparent?: string
}

/** A vector as the upstream wrote it: numbers, or the base64 text of little-endian 32-bit floats. */
export type WireVector = readonly number[] | string

/** One answer. Its usage has prompt tokens alone. */
export interface UpstreamEmbeddings extends ReportedUsage {
  /** In the order of the inputs, as many as were asked for. */
  readonly vectors: readonly WireVector[]
  readonly generationId: string | null
  /** What the upstream calls the model that answered; null where it does not say. For traces alone. */
  readonly model: string | null
}

export interface EmbeddingUpstream {
  /**
   * Whether a model that is not known to make vectors may be asked for them all the same: lists of OpenAI's form do not
   * say what a model does.
   */
  readonly takesAnyModel: boolean
  /** @throws {ServiceError} when the upstream fails, refuses, is silent for too long, or answers nonsense. */
  embed(request: UpstreamEmbeddingRequest): Promise<UpstreamEmbeddings>
}
