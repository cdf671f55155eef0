/**
 * The port to an upstream that makes images. As with chat, no caller knows which one serves, and every failure
 * leaves an adapter as a `ServiceError` whose text is safe to show.
 */
import type { AttoUsd } from '../pricing/price.ts'

/** An image that a request gives, as a file. */
export interface GivenFile {
  readonly bytes: Buffer
  /** `image/png` and the like, as the sender says. */
  readonly mediaType: string
  readonly fileName: string
}

/** An image that a request gives: a file, or an address that the upstream reads. Never fetched by us. */
export type GivenImage = GivenFile | { readonly url: string }

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

/** What a request gives beside its words. */
export interface GivenImages {
  /** Whether the images are to be changed, and not only to be gone by. */
  readonly isEdit: boolean
  readonly inputs: readonly GivenImage[]
  readonly mask: GivenImage | null
}

export interface UpstreamImageRequest extends GivenImages {
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  readonly prompt: string
  /** Renders that this call shall make. */
  readonly count: number
  readonly settings: ImageSettings
  /** What the client sent beside these, for upstreams that know it. */
  readonly extras: Readonly<Record<string, unknown>>
  /** Partial images that a stream shall show of each render. */
  readonly partialImages: number
  readonly confidential: boolean
  /** Ends the work: the gateway stops. */
  readonly signal: AbortSignal
  /** W3C `traceparent` for an upstream that shall know the trace; absent tells it nothing. */
  readonly traceparent?: string
}

/** One image that came: whole, and known to be one. */
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
  /** The part of the input that was images; null where that is not told. */
  readonly inputImageTokens: number | null
}

export interface UpstreamImages {
  /** Those that can be shown, at most as many as were asked for; what holds no image is left out. */
  readonly renders: readonly Render[]
  /** How many the upstream says that it made, those among them that cannot be shown. */
  readonly answered: number
  readonly usage: ImageUsage | null
  /** What the call cost, with renders that cannot be shown; null where the upstream does not say. */
  readonly cost: AttoUsd | null
  readonly generationId: string | null
  /** Settings as the upstream says it used them; null where it does not. */
  readonly used: Pick<ImageSettings, 'size' | 'quality' | 'background' | 'outputFormat'>
}

/** An image on its way, for callers that watch. */
export interface PartialImage {
  readonly base64: string
  /** From 0, of one render. */
  readonly index: number
}

export interface ImageUpstream {
  /**
   * Asked before anything is held.
   *
   * @throws {ServiceError} `unsupported_parameter` for what the upstream's API has no place for, whatever the model.
   */
  check(given: GivenImages): void
  /**
   * Makes images.
   *
   * @param onPartial called for each partial image where any were asked for; null makes no stream.
   * @throws {ServiceError} when the upstream fails, refuses, is silent for too long, or answers nonsense.
   */
  create(request: UpstreamImageRequest, onPartial: ((partial: PartialImage) => void) | null): Promise<UpstreamImages>
}
