import type { GivenImage, ImageSettings } from '../../upstreams/image-upstream.ts'

/** A request for images, however it was written. */
export interface ImageCall {
  readonly kind: 'generation' | 'edit'
  /** Whose form the answer has: it decides the names of the counts. */
  readonly form: 'openai' | 'openrouter'
  /** As the client wrote it. */
  readonly model: string
  readonly prompt: string
  readonly count: number
  readonly stream: boolean
  readonly partialImages: number
  readonly settings: ImageSettings
  /** Fields that the gateway does not know, for upstreams that may. */
  readonly extras: Readonly<Record<string, unknown>>
  readonly inputs: readonly GivenImage[]
  readonly mask: GivenImage | null
}
