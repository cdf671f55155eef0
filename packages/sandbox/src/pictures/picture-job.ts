/** How a picture is wanted. */
export interface PictureFrame {
  readonly width: number
  readonly height: number
  readonly format: 'png' | 'jpeg' | 'webp' | 'svg'
  /** 0 to 100; null for the usual. For jpeg and webp alone. */
  readonly quality: number | null
  readonly isTransparent: boolean
}

/** A picture to make. */
export interface PictureJob {
  readonly kind: 'picture'
  readonly prompt: string
  readonly seed: string
  readonly frame: PictureFrame
  /** Files to edit: the first is what is changed, the others are shown in it. Empty for a new picture. */
  readonly inputs: readonly Uint8Array[]
  /** A picture whose transparent part is what may be changed. */
  readonly mask: Uint8Array | null
  /** Blurred pictures to give before the whole one, 0 to 3. */
  readonly partials: number
}
