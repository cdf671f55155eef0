/** The port to an upstream that ranks documents by their relevance to a query. */
import type { JsonBody } from '../platform/json/json-body.ts'
import type { ReportedUsage } from './chat-upstream.ts'

export interface UpstreamRerankRequest {
  /** The client's JSON body as it came, and where its top-level values are. */
  readonly body: JsonBody
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  /** How many documents it has. */
  readonly count: number
  readonly confidential: boolean
  /** Ends the work: the key was revoked, or the gateway stops. */
  readonly signal: AbortSignal
  /** W3C `traceparent` for an upstream that shall know the trace; absent tells it nothing. */
  readonly traceparent?: string
}

export interface RankedDocument {
  /** Place of the document in the request. */
  readonly index: number
  readonly score: number
}

/** One answer. Its usage has prompt tokens, and searches as `requests`, as far as the upstream says. */
export interface UpstreamRanking extends ReportedUsage {
  /** In falling order of the score; at least one, and none twice. */
  readonly ranked: readonly RankedDocument[]
  readonly generationId: string | null
  /** What the upstream calls the model that answered; null where it does not say. For traces alone. */
  readonly model: string | null
}

export interface RerankUpstream {
  /** As of vectors: whether a model that is not known to rank may be asked all the same. */
  readonly takesAnyModel: boolean
  /** @throws {ServiceError} when the upstream fails, refuses, is silent for too long, or answers nonsense. */
  rank(request: UpstreamRerankRequest): Promise<UpstreamRanking>
}
