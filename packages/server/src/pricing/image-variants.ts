/** Which prices of a list an image may have: lists name qualities, sizes in pixels or megapixels, and tiers (`2K`). */

/** Settings that decide a price; null where the request or the answer does not say, or says `auto`. */
export interface RenderSettings {
  /** `1024x1536`, or a tier such as `2K`. */
  readonly size: string | null
  readonly resolution: string | null
  readonly quality: string | null
}

/** The prices that may apply. With none, the list's own price of an image does. */
export interface FittingVariants<Variant> {
  readonly variants: readonly Variant[]
  /** An image that is larger than every price of the list costs in proportion: by so many whole multiples. */
  readonly times: number
}

/** @param isStandard whether a variant has the price that the list gives for an image without settings. */
export function fittingVariants<Variant extends RenderSettings>(
  all: readonly Variant[],
  asked: RenderSettings,
  isStandard: (variant: Variant) => boolean,
): FittingVariants<Variant> {
  const settings = withoutContradiction(asked)
  const ofQuality = withQuality(all, settings.quality)
  const wanted = wantedPixels(settings)
  if (ofQuality.length === 0) return { variants: [], times: multiples(wanted, USUAL_PIXELS) }
  const usual = (): readonly Variant[] => ofUsualSize(ofQuality, all.filter(isStandard))
  const fitting = wanted === null ? usual() : largeEnough(ofQuality, settings, wanted)
  if (fitting.length > 0) return { variants: fitting, times: 1 }
  const most = Math.max(...ofQuality.map(pixelsOf))
  return { variants: ofQuality.filter((variant) => pixelsOf(variant) === most), times: multiples(wanted, most) }
}

/**
 * Pixels of the largest image that a list has a price for; larger ones cost in proportion to these. Infinite where a
 * price holds for every size.
 */
export function pixelsListed(all: readonly RenderSettings[]): number {
  return all.length === 0 ? USUAL_PIXELS : Math.max(...all.map(pixelsOf))
}

function multiples(wanted: number | null, listed: number): number {
  return wanted === null || wanted <= listed ? 1 : Math.ceil(wanted / listed)
}

/** Qualities by names that upstreams use for the same. */
const qualityNames: ReadonlyMap<string, string> = new Map([
  ['hd', 'high'],
  ['standard', 'medium'],
])

function withQuality<Variant extends RenderSettings>(
  variants: readonly Variant[],
  asked: string | null,
): readonly Variant[] {
  if (asked === null || asked === 'auto') return variants
  const quality = asked.toLowerCase()
  const matching = variants.filter(
    (variant) =>
      variant.quality === null || variant.quality === quality || variant.quality === qualityNames.get(quality),
  )
  // A quality that the list does not know is priced as whichever it may be.
  return matching.length === 0 ? variants : matching
}

/** Pixels of an image without a size in the request, at most: 1024 × 1536 and a little. */
const USUAL_PIXELS = 1_700_000

function ofUsualSize<Variant extends RenderSettings>(
  variants: readonly Variant[],
  standard: readonly Variant[],
): readonly Variant[] {
  const most = Math.max(USUAL_PIXELS, Math.min(...standard.map(pixelsOf)))
  return variants.filter((variant) => pixelsOf(variant) === Number.POSITIVE_INFINITY || pixelsOf(variant) <= most)
}

function largeEnough<Variant extends RenderSettings>(
  variants: readonly Variant[],
  { size, resolution }: RenderSettings,
  wanted: number,
): readonly Variant[] {
  const named = variants.filter(
    (variant) =>
      isSame(variant.size, size) || isSame(variant.resolution, resolution) || isSame(variant.resolution, size),
  )
  if (named.length > 0) return named
  const enough = variants.filter((variant) => pixelsOf(variant) >= wanted)
  const least = Math.min(...enough.map(pixelsOf))
  return enough.filter((variant) => pixelsOf(variant) === least)
}

function isSame(listed: string | null, asked: string | null): boolean {
  return listed !== null && asked !== null && listed.toLowerCase() === asked.toLowerCase()
}

/** Pixels that a tier reaches to, sides of 3:2 included. */
const tierPixels: ReadonlyMap<string, number> = new Map([
  ['512', 400_000],
  ['1k', USUAL_PIXELS],
  ['1.5k', 3_600_000],
  ['2k', 6_300_000],
  ['4k', 25_200_000],
])

const MEGAPIXEL = 1_048_576
const PIXELS = /^(\d{1,6})x(\d{1,6})$/i
const MEGAPIXELS = /^(\d{1,4}(?:\.\d+)?)MP$/i

/** Pixels that a price covers; a price without a size covers all. */
function pixelsOf({ size, resolution }: RenderSettings): number {
  return readPixels(size, tierPixels) ?? readPixels(resolution, tierPixels) ?? Number.POSITIVE_INFINITY
}

/** Pixels of a tier as it is meant: its square. */
const nominalPixels: ReadonlyMap<string, number> = new Map([
  ['512', 262_144],
  ['1k', MEGAPIXEL],
  ['1.5k', 2_359_296],
  ['2k', 4_194_304],
  ['4k', 16_777_216],
])

/** Of a size and a resolution the larger: which of the two an upstream obeys is unknown. */
function withoutContradiction(settings: RenderSettings): RenderSettings {
  const bySize = readPixels(settings.size, nominalPixels)
  const byTier = readPixels(settings.resolution, nominalPixels)
  if (bySize === null || byTier === null) return settings
  return bySize < byTier ? { ...settings, size: null } : { ...settings, resolution: null }
}

function wantedPixels({ size, resolution }: RenderSettings): number | null {
  return readPixels(size, nominalPixels) ?? readPixels(resolution, nominalPixels)
}

function readPixels(text: string | null, tiers: ReadonlyMap<string, number>): number | null {
  if (text === null) return null
  const pixels = PIXELS.exec(text)
  if (pixels !== null) return Number(pixels[1]) * Number(pixels[2])
  const megapixels = MEGAPIXELS.exec(text)
  if (megapixels !== null) return Number(megapixels[1]) * MEGAPIXEL
  return tiers.get(text.toLowerCase()) ?? null
}
