/**
 * The port to an upstream that makes pictures. As with chat, nobody above knows which one serves, and every failure
 * leaves an adapter as a `ServiceError` whose text is safe to show.
 */
import type { AttoUsd } from '../pricing/price.ts'

/** A picture that a request gives. */
export interface GivenImage {
  readonly bytes: Buffer
  /** `image/png` and the like, as the sender says. */
  readonly mediaType: string
  readonly fileName: string
}

/** What is asked for. Null and absent settings are left to the upstream. */
export interface ImageSettings {
  readonly size: string | null
  readonly quality: string | null
  readonly background: string | null
  readonly outputFormat: string | null
  readonly outputCompression: number | null
  readonly inputFidelity: string | null
  readonly moderation: string | null
  readonly style: string | null
  readonly seed: number | null
  readonly aspectRatio: string | null
  readonly resolution: string | null
  readonly user: string | null
  /** As the client wrote it, for upstreams that need it to send base64; null where the client did not. */
  readonly responseFormat: 'url' | 'b64_json' | null
}

export interface UpstreamImageRequest {
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  readonly prompt: string
  /** Renders that this call shall make. */
  readonly count: number
  readonly settings: ImageSettings
  /** Pictures to edit or to go by: files, or addresses that the upstream fetches, data URLs among them. */
  readonly inputs: readonly (GivenImage | { readonly url: string })[]
  readonly mask: GivenImage | { readonly url: string } | null
  /** Partial pictures that a stream shall show of each render. */
  readonly partialImages: number
  readonly confidential: boolean
  /** Ends the work: the gateway stops. */
  readonly signal: AbortSignal
  /** W3C `traceparent` for an upstream that shall know the trace; absent tells it nothing. */
  readonly traceparent?: string
}

/** One picture that came: whole, and known to be one. */
export interface Render {
  /** Base64 of the file, as the upstream sent it. */
  readonly base64: string
  readonly mediaType: string
  readonly revisedPrompt: string | null
}

/** Tokens as OpenAI counts them for images; null where the upstream counts none. */
export interface ImageUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly inputTextTokens: number | null
  readonly inputImageTokens: number | null
}

export interface UpstreamImages {
  /** Those that can be shown; answers that hold no picture are left out. */
  readonly renders: readonly Render[]
  readonly usage: ImageUsage | null
  /** What the whole call cost; null where the upstream does not say. */
  readonly cost: AttoUsd | null
  readonly generationId: string | null
  /** Settings as the upstream says it used them; null where it does not. */
  readonly used: Pick<ImageSettings, 'size' | 'quality' | 'background' | 'outputFormat'>
}

/** A picture on its way, for callers that watch. */
export interface PartialImage {
  readonly base64: string
  /** From 0, of one render. */
  readonly index: number
}

export interface ImageUpstream {
  /**
   * Makes pictures.
   *
   * @param onPartial called for each partial picture where any were asked for; null makes no stream.
   * @throws {ServiceError} when the upstream fails, refuses, is silent for too long, or answers nonsense.
   */
  create(request: UpstreamImageRequest, onPartial: ((partial: PartialImage) => void) | null): Promise<UpstreamImages>
}
