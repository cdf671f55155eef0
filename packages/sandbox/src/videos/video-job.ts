/** A video to make. */
export interface VideoJob {
  readonly kind: 'video'
  readonly prompt: string
  readonly seed: string
  /** Even numbers. */
  readonly width: number
  readonly height: number
  readonly seconds: number
  /** An image that takes the place of the backdrop; null draws one. */
  readonly firstFrame: Uint8Array | null
  /** Whether a voice says the prompt. */
  readonly hasAudio: boolean
}
