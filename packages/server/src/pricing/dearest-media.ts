/**
 * What media cost at whichever of several upstreams makes them, as one list can say it: each figure is that of the
 * dearest. Holds and charges go by the own list of each upstream.
 */
import { highestImageRate } from './image-rate.ts'
import { pixelsListed } from './image-variants.ts'
import type {
  ImagePrices,
  ImageVariant,
  MediaPrices,
  SpeechPrices,
  TranscriptionPrices,
  VideoPrices,
} from './media-price.ts'
import type { AttoUsd } from './price.ts'
import { attoUsdOf } from './usd.ts'
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

/** What is sold beside the renders, and the cheapest render of the list where that is dearest. */
function dearestBeside(all: Several<ImagePrices>): Omit<ImagePrices, 'variants'> {
  return {
    type: 'image',
    perImage: greatest(all.map((prices) => prices.perImage)),
    perInputImage: greatestKnown(all.map((prices) => prices.perInputImage)),
    perRequest: greatestKnown(all.map((prices) => prices.perRequest)),
    perInputToken: greatestKnown(all.map((prices) => prices.perInputToken ?? null)),
    perInputImageToken: greatestKnown(all.map((prices) => prices.perInputImageToken ?? null)),
  }
}

/**
 * No render may cost more at any of them than the one list says that it can. Lists that price by the same settings are
 * compared setting by setting; of others it is unknown which prices meet in one render.
 */
function dearestImages(all: Several<ImagePrices>): ImagePrices {
  const variants = distinct(all.flatMap((prices) => prices.variants.map(settingsOf)))
  const isAlike = all.every((prices) => distinct(prices.variants.map(settingsOf)).length === variants.length)
  const byVariant: ImagePrices = {
    ...dearestBeside(all),
    variants: variants.map((settings) => ({
      ...settings,
      perImage: greatest(all.map((prices) => dearestOf(prices, settings))),
    })),
  }
  return isAlike && coversUsual(byVariant, all) ? byVariant : atTheMost(all, variants)
}

/** The most that a list asks for exactly these settings. */
function dearestOf({ perImage, variants }: ImagePrices, settings: Omit<ImageVariant, 'perImage'>): AttoUsd {
  const key = keyOf(settings)
  const same = variants.filter((each) => keyOf(each) === key)
  return same.length === 0 ? perImage : greatest(same.map((variant) => variant.perImage))
}

function settingsOf({ resolution, size, quality, mode }: Omit<ImageVariant, 'perImage'>) {
  return { resolution, size, quality, mode }
}

function keyOf(variant: Omit<ImageVariant, 'perImage'>): string {
  return JSON.stringify(settingsOf(variant))
}

/** Which size is the usual one depends on the prices of a list: where the request names none, the lists may differ. */
function coversUsual(shown: ImagePrices, all: Several<ImagePrices>): boolean {
  // No list has the quality `''`: only variants that apply to every quality match it.
  const qualities = [null, '', 'hd', 'standard', ...shown.variants.map(({ quality }) => quality)]
  return qualities.every((quality) => {
    const settings = { size: null, resolution: null, quality }
    const most = highestImageRate(shown, settings)
    return all.every((prices) => highestImageRate(prices, settings) <= most)
  })
}

/**
 * Prices by size alone, where a list has sizes: at each size the most that any list can ask for an image of up to that
 * size, whatever its quality. Beyond the largest an image costs in proportion, as it does in the lists.
 */
function atTheMost(all: Several<ImagePrices>, variants: readonly Omit<ImageVariant, 'perImage'>[]): ImagePrices {
  const sized = variants.filter((settings) => Number.isFinite(pixelsListed([settings])))
  const groups = all.flatMap(groupsOf)
  const priceAt = (pixels: number): AttoUsd => {
    const times = (listed: number): bigint => BigInt(Number.isFinite(listed) ? Math.ceil(pixels / listed) : 1)
    return greatest(groups.map(({ most, listed }) => attoUsdOf(most * times(listed))))
  }
  if (all.some((prices) => prices.variants.length === 0) && sized.length === 0) {
    return { ...dearestBeside(all), perImage: priceAt(1), variants: [] }
  }
  // Qualities alone: what each list asks for it, or for whichever it takes it to be.
  if (sized.length === 0) return { ...dearestBeside(all), variants: variants.map((each) => byQuality(all, each)) }
  // Each size without a quality, too: then no quality ends at a smaller one.
  const settings = distinct([...sized, ...sized.map((each) => ({ ...each, quality: null, mode: null }))])
  return {
    ...dearestBeside(all),
    variants: settings.map((each) => ({ ...each, perImage: priceAt(pixelsListed([each])) })),
  }
}

function byQuality(all: Several<ImagePrices>, settings: Omit<ImageVariant, 'perImage'>): ImageVariant {
  const asked = { size: null, resolution: null, quality: settings.quality }
  return { ...settings, perImage: greatest(all.map((prices) => highestImageRate(prices, asked))) }
}

interface PriceGroup {
  readonly most: AttoUsd
  /** In pixels; infinite where a price holds for every size. */
  readonly listed: number
}

/** What a list asks at most, and how large the images are that it prices, for each quality that can be asked. */
function groupsOf({ perImage, variants }: ImagePrices): readonly PriceGroup[] {
  const named = [...new Set(variants.map(({ quality }) => quality))]
  const groups = named.map((name) => variants.filter(({ quality }) => quality === null || quality === name))
  return [variants, ...groups].map((group) => ({
    most: greatest([perImage, ...group.map((variant) => variant.perImage)]),
    listed: pixelsListed(group),
  }))
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
