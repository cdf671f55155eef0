/**
 * What media cost at whichever of several upstreams makes them, as one list can say it: each figure is that of the
 * dearest. Holds and charges go by the own list of each upstream.
 */
import { highestImageRate } from './image-rate.ts'
import type { ImagePrices, MediaPrices, SpeechPrices, TranscriptionPrices, VideoPrices } from './media-price.ts'
import type { AttoUsd } from './price.ts'
import { videoRate } from './video-rate.ts'

type Several<Prices> = readonly [Prices, ...Prices[]]

/**
 * The dearest of several prices, figure by figure.
 * @param all of one type; those of another than the first are left out.
 */
export function dearestMedia(all: Several<MediaPrices>): MediaPrices {
  const [first, ...others] = all
  if (others.length === 0) return first
  switch (first.type) {
    case 'image':
      return dearestImages([first, ...others.filter((prices) => prices.type === 'image')])
    case 'video':
      return dearestVideos([first, ...others.filter((prices) => prices.type === 'video')])
    case 'speech':
      return dearestSpeech([first, ...others.filter((prices) => prices.type === 'speech')])
    case 'transcription':
      return dearestTranscription([first, ...others.filter((prices) => prices.type === 'transcription')])
  }
}

/** Every variant that one of the lists names, at the most that it can cost where it is dearest. */
function dearestImages(all: Several<ImagePrices>): ImagePrices {
  const variants = distinct(
    all.flatMap((prices) =>
      prices.variants.map(({ resolution, size, quality, mode }) => ({ resolution, size, quality, mode })),
    ),
  )
  return {
    type: 'image',
    perImage: greatest(all.map((prices) => prices.perImage)),
    variants: variants.map((settings) => ({
      ...settings,
      perImage: greatest(all.map((prices) => highestImageRate(prices, settings))),
    })),
    perInputImage: greatestKnown(all.map((prices) => prices.perInputImage)),
    perRequest: greatestKnown(all.map((prices) => prices.perRequest)),
    perInputToken: greatestKnown(all.map((prices) => prices.perInputToken ?? null)),
    perInputImageToken: greatestKnown(all.map((prices) => prices.perInputImageToken ?? null)),
  }
}

/** The settings that apply when a request names none are those of the first. */
function dearestVideos(all: Several<VideoPrices>): VideoPrices {
  const [{ defaultResolution, defaultAudio }] = all
  const variants = distinct(
    all.flatMap((prices) => prices.variants.map(({ resolution, audio }) => ({ resolution, audio }))),
  )
  return {
    type: 'video',
    perSecond: greatest(all.map((prices) => prices.perSecond)),
    ...{ defaultResolution, defaultAudio },
    variants: variants.map(({ resolution, audio }) => ({
      ...{ resolution, audio },
      perSecond: greatest(all.map((prices) => videoRate(prices, { resolution, hasAudio: audio }))),
    })),
    perInputImage: greatestKnown(all.map((prices) => prices.perInputImage)),
    minimum: greatestKnown(all.map((prices) => prices.minimum)),
  }
}

/**
 * A text has at least as many bytes as characters, so where one upstream sells by the byte, bytes are what is shown.
 */
function dearestSpeech(all: Several<SpeechPrices>): SpeechPrices {
  const isByBytes = all.some(({ unit }) => unit === 'byte')
  return {
    type: 'speech',
    unit: isByBytes ? 'byte' : 'character',
    perUnit: greatest(all.map(({ perUnit }) => perUnit)),
  }
}

function dearestTranscription(all: Several<TranscriptionPrices>): TranscriptionPrices {
  return { type: 'transcription', perSecond: greatest(all.map(({ perSecond }) => perSecond)) }
}

function greatest(amounts: readonly AttoUsd[]): AttoUsd {
  return amounts.reduce((most, amount) => (amount > most ? amount : most))
}

/** Null where none of them has such a price. */
function greatestKnown(amounts: readonly (AttoUsd | null)[]): AttoUsd | null {
  const known = amounts.filter((amount) => amount !== null)
  return known.length === 0 ? null : greatest(known)
}

/** @param all each with its members in the same order. */
function distinct<Settings extends object>(all: readonly Settings[]): readonly Settings[] {
  const bySettings = new Map(all.map((settings) => [JSON.stringify(settings), settings]))
  return [...bySettings.values()]
}
