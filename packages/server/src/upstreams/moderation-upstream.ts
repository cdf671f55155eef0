/** The port to an upstream that classifies what texts and images say. */
import type { JsonBody } from '../platform/json/json-body.ts'
import type { ReportedUsage } from './chat-upstream.ts'

export interface UpstreamModerationRequest {
  /** The client's JSON body as it came, and where its top-level values are. */
  readonly body: JsonBody
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  /** How many results the answer must have. */
  readonly count: number
  readonly confidential: boolean
  /** Ends the work: the key was revoked, or the gateway stops. */
  readonly signal: AbortSignal
  /** W3C `traceparent` for an upstream that shall know the trace; absent tells it nothing. */
  readonly traceparent?: string
}

/** What is said of one text, by names of categories. */
export interface ModerationResult {
  readonly flagged: boolean
  readonly categories: Readonly<Record<string, boolean>>
  readonly scores: Readonly<Record<string, number>>
  /** Which kinds of input each category was seen in; null where the upstream does not say. */
  readonly inputTypes: Readonly<Record<string, unknown>> | null
}

/** One answer. Its usage has prompt tokens alone. */
export interface UpstreamModeration extends ReportedUsage {
  /** In the order of the inputs. */
  readonly results: readonly ModerationResult[]
  readonly generationId: string | null
  /** What the upstream calls the model that answered; null where it does not say. For traces alone. */
  readonly model: string | null
}

export interface ModerationUpstream {
  /** As of vectors: whether a model that is not known to classify may be asked all the same. */
  readonly takesAnyModel: boolean
  /** @throws {ServiceError} when the upstream fails, refuses, is silent for too long, or answers nonsense. */
  moderate(request: UpstreamModerationRequest): Promise<UpstreamModeration>
}
