import type { ImagePrices, MediaPrices, SpeechPrices, TranscriptionPrices, VideoPrices } from '../prices.ts'

/** A scripted model of media as a catalog needs it: what it costs, and what it can do. */
export type ScriptedMedia =
  | { readonly type: 'image'; readonly prices: ImagePrices; readonly facts: typeof imageFacts; readonly isGuess: false }
  | { readonly type: 'video'; readonly prices: VideoPrices; readonly facts: typeof videoFacts; readonly isGuess: false }
  | {
      readonly type: 'speech'
      readonly prices: SpeechPrices
      readonly facts: typeof speechFacts
      readonly isGuess: false
    }
  | {
      readonly type: 'transcription'
      readonly prices: TranscriptionPrices
      readonly facts: null
      readonly isGuess: false
    }

const imageFacts = { countMax: null, inputImagesMin: 0, inputImagesMax: 16, parameters: {}, streams: true }

const videoFacts = {
  durations: [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60],
  resolutions: ['360p', '480p', '720p', '1080p'],
  aspectRatios: [] as readonly string[],
  sizes: [] as readonly string[],
  frameImages: ['first_frame'],
  generatesAudio: true,
}

const speechFacts = { voices: [] as readonly string[], defaultVoice: 'alloy', voiceRequired: false }

/** Adds what a model of such prices can do in the sandbox. */
export function scriptedMediaOf(prices: MediaPrices): ScriptedMedia {
  switch (prices.type) {
    case 'image':
      return { type: 'image', prices, facts: imageFacts, isGuess: false }
    case 'video':
      return { type: 'video', prices, facts: videoFacts, isGuess: false }
    case 'speech':
      return { type: 'speech', prices, facts: speechFacts, isGuess: false }
    case 'transcription':
      return { type: 'transcription', prices, facts: null, isGuess: false }
  }
}
