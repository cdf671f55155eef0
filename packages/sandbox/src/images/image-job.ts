/** How an image is wanted. */
export interface ImageFrame {
  readonly width: number
  readonly height: number
  readonly format: 'png' | 'jpeg' | 'webp' | 'svg'
  /** 0 to 100; null for the usual. For jpeg and webp alone. */
  readonly quality: number | null
  readonly isTransparent: boolean
}

/** An image to make. */
export interface ImageJob {
  readonly kind: 'image'
  readonly prompt: string
  readonly seed: string
  readonly frame: ImageFrame
  /** Files to edit: the first is what is changed, the others are shown in it. Empty for a new image. */
  readonly inputs: readonly Uint8Array[]
  /** An image whose transparent part is what may be changed. */
  readonly mask: Uint8Array | null
  /** Blurred images to give before the whole one, 0 to 3. */
  readonly partials: number
}
