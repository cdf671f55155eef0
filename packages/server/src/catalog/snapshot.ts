/**
 * The bundled catalog: what the sandbox offers, and what is used until an upstream's own list has been read.
 */
import type { ModelType } from '@svc/contract'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import type { AttoUsd, PriceTier, TokenPrices } from '../pricing/price.ts'
import { parseUsd } from '../pricing/usd.ts'
import type { CatalogList, CatalogRow } from './catalog-row.ts'
import { readDataFile } from './data-file.ts'
import type { ListedMedia } from './media-offer.ts'
import { type MediaTexts, readMediaTexts } from './media-texts.ts'

/** The file's form, as far as it is read here. Prices are USD as decimal text. */
export interface SnapshotFile {
  readonly as_of: string
  readonly models: readonly SnapshotRow[]
}

export interface SnapshotRow {
  readonly id: string
  readonly type: ModelType
  readonly name: string
  readonly input_modalities: readonly string[]
  readonly output_modalities: readonly string[]
  readonly context_length: number | null
  readonly max_output_tokens: number | null
  readonly pricing: SnapshotPricing
  /** The figures are a guess. */
  readonly estimated?: boolean | undefined
  readonly limits?: Readonly<Record<string, unknown>> | undefined
}

interface SnapshotRate {
  readonly per_input_token?: string | undefined
  readonly per_output_token?: string | undefined
  readonly per_cached_input_token?: string | undefined
  readonly per_cache_write_token?: string | undefined
}

export interface SnapshotPricing extends SnapshotRate {
  readonly per_request?: string | undefined
  readonly per_input_audio_token?: string | undefined
  readonly per_output_audio_token?: string | undefined
  readonly per_output_image_token?: string | undefined
  readonly tiers?: readonly (SnapshotRate & { readonly above_input_tokens: number })[] | undefined
}

/**
 * Loads the bundled list, sorted by id.
 *
 * @throws {InvariantError} when the file is missing or damaged.
 */
export function loadSnapshot(): CatalogList {
  const file = readDataFile('catalog.json') as SnapshotFile
  const updatedAt = Date.parse(file.as_of)
  const created = updatedAt / 1_000
  return { rows: file.models.map((row) => rowFrom(row, created)), source: 'snapshot', updatedAt }
}

function rowFrom(row: SnapshotRow, created: number): CatalogRow {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    description: null,
    created,
    contextLength: row.context_length,
    maxOutputTokens: row.max_output_tokens,
    inputModalities: row.input_modalities,
    outputModalities: row.output_modalities,
    supportedParameters: [],
    prices: row.output_modalities.includes('text') ? pricesFrom(row.pricing) : null,
    media: mediaFrom(row),
  }
}

/** Abilities are beside the prices or among the limits, by the kind of media. */
function mediaFrom({ id, type, pricing, limits, estimated }: SnapshotRow): ListedMedia | null {
  if (type === 'text') return null
  const media = readMediaTexts({ ...pricing, ...limits, type } as MediaTexts, estimated ?? false)
  if (media === null) throw new InvariantError(`The bundled catalog has no price for ${id}.`)
  return media
}

function pricesFrom(pricing: SnapshotPricing): TokenPrices | null {
  if (pricing.per_input_token === undefined || pricing.per_output_token === undefined) return null
  return {
    ...rateFrom(pricing),
    request: optionalUsd(pricing.per_request),
    audioInput: optionalUsd(pricing.per_input_audio_token),
    audioOutput: optionalUsd(pricing.per_output_audio_token),
    imageOutput: optionalUsd(pricing.per_output_image_token),
    tiers: (pricing.tiers ?? []).map((tier): PriceTier => ({
      aboveInputTokens: tier.above_input_tokens,
      ...rateFrom(tier),
    })),
  }
}

function rateFrom(rate: SnapshotRate): Omit<PriceTier, 'aboveInputTokens'> {
  return {
    input: usd(rate.per_input_token),
    output: usd(rate.per_output_token),
    cachedInput: optionalUsd(rate.per_cached_input_token),
    cacheWrite: optionalUsd(rate.per_cache_write_token),
  }
}

function optionalUsd(text: string | undefined): AttoUsd | null {
  return text === undefined ? null : usd(text)
}

function usd(text: string | undefined): AttoUsd {
  const amount = text === undefined ? null : parseUsd(text)
  if (amount === null) throw new InvariantError(`"${text}" in the bundled catalog is not a price.`)
  return amount
}
