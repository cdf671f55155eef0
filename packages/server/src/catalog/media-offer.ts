/** What is known of a model that makes or reads media: its prices, and what it can do. */
import type {
  ImagePrices,
  MediaPrices,
  SpeechPrices,
  TranscriptionPrices,
  VideoPrices,
} from '../pricing/media-price.ts'
import type { ListSource } from '../pricing/price.ts'

/** Null where the list does not say. */
export interface ImageFacts {
  /** Renders that one call to the upstream makes at most. */
  readonly countMax: number | null
  /** Images that a request may give; 0 where it may give none. */
  readonly inputImagesMin: number
  readonly inputImagesMax: number | null
  /** Parameters and what they may be, as the upstream's list describes them; empty where it does not. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly streams: boolean | null
}

/** Empty lists where the list does not say. */
export interface VideoFacts {
  /** Whole seconds, rising. */
  readonly durations: readonly number[]
  readonly resolutions: readonly string[]
  readonly aspectRatios: readonly string[]
  readonly sizes: readonly string[]
  /** `first_frame`, `last_frame`. */
  readonly frameImages: readonly string[]
  /** Whether audio can be asked for; null where the list does not say. */
  readonly generatesAudio: boolean | null
}

export interface SpeechFacts {
  /** Names that the upstream knows; empty where the list does not say. */
  readonly voices: readonly string[]
  /** Taken where a request names none; null where the upstream decides. */
  readonly defaultVoice: string | null
  readonly voiceRequired: boolean
}

interface ListedImages {
  readonly type: 'image'
  readonly prices: ImagePrices
  readonly facts: ImageFacts
  /** The list says itself that the price is a guess. */
  readonly isGuess: boolean
}

interface ListedVideos {
  readonly type: 'video'
  readonly prices: VideoPrices
  readonly facts: VideoFacts
  readonly isGuess: boolean
}

interface ListedSpeech {
  readonly type: 'speech'
  readonly prices: SpeechPrices
  readonly facts: SpeechFacts
  readonly isGuess: boolean
}

interface ListedTranscription {
  readonly type: 'transcription'
  readonly prices: TranscriptionPrices
  readonly facts: null
  readonly isGuess: boolean
}

/** Media as one list describes them. */
export type ListedMedia = ListedImages | ListedVideos | ListedSpeech | ListedTranscription

/** Media as the gateway sells them: a list's word, and how far it can be trusted. */
export type MediaOffer = ListedMedia & { readonly source: ListSource }

/** The offer of a model of one type. */
export type MediaOfferOf<Type extends MediaPrices['type']> = Extract<MediaOffer, { readonly type: Type }>
