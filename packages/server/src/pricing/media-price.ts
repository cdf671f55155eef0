/**
 * What models that make or read media cost upstream: list prices by render variant, second, character or byte. USD per
 * unit, before the margin; null where the list has no such price.
 */
import type { AttoUsd } from './price.ts'

/** A render with these settings costs so much; a setting that is null does not matter. */
export interface ImageVariant {
  /** `1K`, `2K`, `768x768` … */
  readonly resolution: string | null
  /** Pixels, `1024x1536`, or megapixels, `2MP`. */
  readonly size: string | null
  readonly quality: string | null
  readonly mode: string | null
  readonly perImage: AttoUsd
}

export interface ImagePrices {
  readonly type: 'image'
  /** One render with the settings that are cheapest. */
  readonly perImage: AttoUsd
  readonly variants: readonly ImageVariant[]
  /** One image that the request gives: to edit, or to go by. */
  readonly perInputImage: AttoUsd | null
  readonly perRequest: AttoUsd | null
  /** Tokens of the prompt and of given images, where they are sold beside the renders: for holds alone. */
  readonly perInputToken?: AttoUsd | null
  readonly perInputImageToken?: AttoUsd | null
}

/** A second of video with these settings costs so much; a setting that is null does not matter. */
export interface VideoVariant {
  /** `720p`, `1080p`, `2K` … */
  readonly resolution: string | null
  readonly audio: boolean | null
  readonly perSecond: AttoUsd
}

export interface VideoPrices {
  readonly type: 'video'
  /** One second with the settings that apply when a request names none. */
  readonly perSecond: AttoUsd
  readonly defaultResolution: string | null
  readonly defaultAudio: boolean | null
  readonly variants: readonly VideoVariant[]
  readonly perInputImage: AttoUsd | null
  /** Least cost of one video, however short. */
  readonly minimum: AttoUsd | null
}

export interface SpeechPrices {
  readonly type: 'speech'
  /** Unicode code points of the input, or bytes of its UTF-8 text. */
  readonly unit: 'character' | 'byte'
  readonly perUnit: AttoUsd
}

export interface TranscriptionPrices {
  readonly type: 'transcription'
  /** One second of audio. */
  readonly perSecond: AttoUsd
}

export type MediaPrices = ImagePrices | VideoPrices | SpeechPrices | TranscriptionPrices
