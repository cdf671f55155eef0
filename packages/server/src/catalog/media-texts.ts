/**
 * Media prices as the bundled catalog and the configuration write them: USD per unit as decimal text, with what the
 * model can do beside it.
 */
import type { ImageVariant, VideoVariant } from '../pricing/media-price.ts'
import type { AttoUsd } from '../pricing/price.ts'
import { attoUsdOf, parseUsd } from '../pricing/usd.ts'
import type { ListedMedia } from './media-offer.ts'

type Text = string | undefined

export interface ImageTexts {
  readonly type: 'image'
  readonly per_image?: Text
  readonly variants?:
    | readonly {
        readonly resolution?: Text
        readonly size?: Text
        readonly quality?: Text
        readonly mode?: Text
        readonly per_image: string
      }[]
    | undefined
  readonly per_input_image?: Text
  readonly per_request?: Text
  readonly per_input_token?: Text
  readonly per_input_image_token?: Text
  readonly max_n?: number | undefined
  readonly min_input_images?: number | undefined
  readonly max_input_images?: number | undefined
  readonly streams?: boolean | undefined
}

export interface VideoTexts {
  readonly type: 'video'
  readonly per_second?: Text
  readonly default_resolution?: string | null | undefined
  readonly default_audio?: boolean | null | undefined
  readonly variants?:
    | readonly { readonly resolution?: Text; readonly audio?: boolean | undefined; readonly per_second: string }[]
    | undefined
  readonly per_input_image?: Text
  readonly minimum?: Text
  readonly supported_durations?: readonly number[] | undefined
  readonly supported_resolutions?: readonly string[] | undefined
}

export interface SpeechTexts {
  readonly type: 'speech'
  /** One of both. */
  readonly per_character?: Text
  readonly per_byte?: Text
  readonly voices?: readonly string[] | undefined
  readonly default_voice?: string | null | undefined
  readonly voice_required?: boolean | undefined
}

export interface TranscriptionTexts {
  readonly type: 'transcription'
  /** One of both. */
  readonly per_second?: Text
  readonly per_minute?: Text
}

export type MediaTexts = ImageTexts | VideoTexts | SpeechTexts | TranscriptionTexts

/**
 * Reads prices and abilities, exactly to 10⁻¹⁸ USD; what is finer rounds up.
 *
 * @param isGuess whether the list calls its figures estimates.
 * @returns null when there is no price, or a number is not a decimal of zero or more.
 */
export function readMediaTexts(texts: MediaTexts, isGuess: boolean): ListedMedia | null {
  try {
    return readTexts(texts, isGuess)
  } catch (error) {
    if (error instanceof NoPriceError) return null
    throw error
  }
}

class NoPriceError extends Error {}

function readTexts(texts: MediaTexts, isGuess: boolean): ListedMedia {
  switch (texts.type) {
    case 'image':
      return readImage(texts, isGuess)
    case 'video':
      return readVideo(texts, isGuess)
    case 'speech':
      return readSpeech(texts, isGuess)
    case 'transcription': {
      const perSecond =
        texts.per_second === undefined ? divided(price(texts.per_minute), SECONDS_A_MINUTE) : price(texts.per_second)
      return { type: 'transcription', prices: { type: 'transcription', perSecond }, facts: null, isGuess }
    }
  }
}

const SECONDS_A_MINUTE = 60n

function readImage(texts: ImageTexts, isGuess: boolean): ListedMedia {
  const variants = (texts.variants ?? []).map((variant): ImageVariant => ({
    resolution: variant.resolution ?? null,
    size: variant.size ?? null,
    quality: variant.quality ?? null,
    mode: variant.mode ?? null,
    perImage: price(variant.per_image),
  }))
  return {
    type: 'image',
    prices: {
      type: 'image',
      perImage: price(texts.per_image),
      variants,
      perInputImage: optional(texts.per_input_image),
      perRequest: optional(texts.per_request),
      perInputToken: optional(texts.per_input_token),
      perInputImageToken: optional(texts.per_input_image_token),
    },
    facts: {
      countMax: texts.max_n ?? null,
      inputImagesMin: texts.min_input_images ?? 0,
      inputImagesMax: texts.max_input_images ?? null,
      parameters: {},
      streams: texts.streams ?? null,
    },
    isGuess,
  }
}

function readVideo(texts: VideoTexts, isGuess: boolean): ListedMedia {
  const variants = (texts.variants ?? []).map((variant): VideoVariant => ({
    resolution: variant.resolution ?? null,
    audio: variant.audio ?? null,
    perSecond: price(variant.per_second),
  }))
  const audios = new Set(variants.map((variant) => variant.audio))
  return {
    type: 'video',
    prices: {
      type: 'video',
      perSecond: price(texts.per_second),
      defaultResolution: texts.default_resolution ?? null,
      defaultAudio: texts.default_audio ?? null,
      variants,
      perInputImage: optional(texts.per_input_image),
      minimum: optional(texts.minimum),
    },
    facts: {
      durations: [...(texts.supported_durations ?? [])].sort((left, right) => left - right),
      resolutions: texts.supported_resolutions ?? [],
      aspectRatios: [],
      sizes: [],
      frameImages: [],
      generatesAudio: audios.has(true) ? true : audios.has(false) ? false : null,
    },
    isGuess,
  }
}

function readSpeech(texts: SpeechTexts, isGuess: boolean): ListedMedia {
  const isByBytes = texts.per_byte !== undefined
  return {
    type: 'speech',
    prices: {
      type: 'speech',
      unit: isByBytes ? 'byte' : 'character',
      perUnit: price(isByBytes ? texts.per_byte : texts.per_character),
    },
    facts: {
      voices: texts.voices ?? [],
      defaultVoice: texts.default_voice ?? null,
      voiceRequired: texts.voice_required ?? false,
    },
    isGuess,
  }
}

function price(text: Text): AttoUsd {
  const amount = text === undefined ? null : parseUsd(text)
  if (amount === null) throw new NoPriceError()
  return amount
}

function optional(text: Text): AttoUsd | null {
  return text === undefined ? null : price(text)
}

function divided(amount: AttoUsd, parts: bigint): AttoUsd {
  return attoUsdOf((amount + parts - 1n) / parts)
}
