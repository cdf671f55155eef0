/**
 * What a picture can cost by the price list of its model, for whoever has the public list alone: the same choice of
 * prices as the gateway's own.
 */
import type { Exact } from './money-schema.ts'
import { fittingVariants, type PictureSettings } from './image-variants.ts'
import { type ImageModelEntry, INPUT_IMAGE_TOKENS } from './images.ts'
import { type Nanocredits, nanocreditsOf } from './credits.ts'
import { nanocreditsFrom } from './json-number.ts'

export interface PictureRequest {
  /** Pixels or a tier; null where nobody says. */
  readonly size: string | null
  readonly quality: string | null
  /** Pictures that are given, to be changed. */
  readonly given: number
  /** UTF-8 bytes: some models sell the tokens of the prompt beside the pictures, and a token is at least a byte. */
  readonly promptBytes: number
}

export interface PicturePrice {
  readonly least: Nanocredits
  /** What the gateway holds for each picture. Source: decision 0022 (size of a hold). */
  readonly most: Nanocredits
}

type Listed = Pick<Exact<ImageModelEntry>, 'credits_per_image' | 'pricing'>

/** One picture: of the prices that the settings leave open the cheapest and the dearest, and what is charged beside. */
export function picturePrice(model: Listed, { size, quality, given, promptBytes }: PictureRequest): PicturePrice {
  const isStandard = ({ credits }: { readonly credits: string }): boolean => credits === model.credits_per_image
  const { variants, times } = fittingVariants(variantsOf(model), { size, resolution: null, quality }, isStandard)
  const amounts = (variants.length === 0 ? [model.credits_per_image] : variants.map(({ credits }) => credits))
    .map((credits) => nanocreditsFrom(credits) * BigInt(times))
    .toSorted((left, right) => (left < right ? -1 : Number(left > right)))
  const [least = 0n, most = least] = [amounts.at(0), amounts.at(-1)]
  // Each picture may take a call of its own, which has all that is charged beside it.
  const beside = perUnit(model, 'request') + perUnit(model, 'input_image') * BigInt(given)
  // How many tokens there are, the upstream tells.
  const tokens =
    perUnit(model, 'input_token') * BigInt(promptBytes) +
    perUnit(model, 'input_image_token') * BigInt(given * INPUT_IMAGE_TOKENS)
  return { least: nanocreditsOf(least + beside), most: nanocreditsOf(most + beside + tokens) }
}

/**
 * A setting that a row does not name does not matter to it. One price without settings is no variant: it holds for
 * pictures of the usual size, and larger ones cost in proportion.
 */
function variantsOf({ pricing }: Listed): readonly (PictureSettings & { readonly credits: string })[] {
  const rows = pricing.filter(({ unit }) => unit === 'image')
  const [only, ...others] = rows
  if (only !== undefined && others.length === 0 && !hasSettings(only)) return []
  return rows.map(({ credits, size = null, resolution = null, quality = null }) => ({
    ...{ credits, size, resolution, quality },
  }))
}

function hasSettings({ size, resolution, quality, mode }: Listed['pricing'][number]): boolean {
  return [size, resolution, quality, mode].some((setting) => setting !== undefined)
}

function perUnit({ pricing }: Listed, unit: Listed['pricing'][number]['unit']): bigint {
  const row = pricing.find((each) => each.unit === unit)
  return row === undefined ? 0n : nanocreditsFrom(row.credits)
}
