/**
 * The bundled catalog: what the sandbox offers, and what stands in until an upstream's own list has been read.
 */
import { z } from 'zod'
import { InvariantError } from '../errors/invariant-error.ts'
import type { AttoUsd, PriceTier, TokenPrices } from '../pricing/price.ts'
import { parseUsd } from '../pricing/usd.ts'
import type { CatalogList, CatalogRow } from './catalog-row.ts'
import { readDataFile } from './data-file.ts'

const price = z.string().regex(/^\d+(\.\d+)?$/)

const tokenKeys = {
  per_cached_input_token: price.optional(),
  per_cache_write_token: price.optional(),
}

const tierSchema = z.object({
  above_input_tokens: z.int().min(1),
  per_input_token: price,
  per_output_token: price,
  ...tokenKeys,
})

const rowSchema = z.object({
  id: z.string().min(1),
  type: z.enum(['text', 'image', 'video', 'speech', 'transcription']),
  name: z.string(),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  context_length: z.int().min(1).nullable(),
  max_output_tokens: z.int().min(1).nullable(),
  pricing: z.object({
    per_input_token: price.optional(),
    per_output_token: price.optional(),
    ...tokenKeys,
    per_request: price.optional(),
    per_input_audio_token: price.optional(),
    per_output_audio_token: price.optional(),
    per_output_image_token: price.optional(),
    tiers: z.array(tierSchema).optional(),
  }),
})

const schema = z.object({ as_of: z.iso.date(), models: z.array(rowSchema) })

type SnapshotRow = z.output<typeof rowSchema>

/**
 * Loads the bundled list, sorted by id.
 *
 * @throws {InvariantError} when the file is damaged.
 */
export function loadSnapshot(): CatalogList {
  const file = readDataFile('catalog.json', schema)
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
  }
}

function pricesFrom(pricing: SnapshotRow['pricing']): TokenPrices | null {
  if (pricing.per_input_token === undefined || pricing.per_output_token === undefined) return null
  return {
    input: usd(pricing.per_input_token),
    output: usd(pricing.per_output_token),
    cachedInput: optionalUsd(pricing.per_cached_input_token),
    cacheWrite: optionalUsd(pricing.per_cache_write_token),
    request: optionalUsd(pricing.per_request),
    audioInput: optionalUsd(pricing.per_input_audio_token),
    audioOutput: optionalUsd(pricing.per_output_audio_token),
    imageOutput: optionalUsd(pricing.per_output_image_token),
    tiers: (pricing.tiers ?? []).map(
      (tier): PriceTier => ({
        aboveInputTokens: tier.above_input_tokens,
        input: usd(tier.per_input_token),
        output: usd(tier.per_output_token),
        cachedInput: optionalUsd(tier.per_cached_input_token),
        cacheWrite: optionalUsd(tier.per_cache_write_token),
      }),
    ),
  }
}

function optionalUsd(text: string | undefined): AttoUsd | null {
  return text === undefined ? null : usd(text)
}

function usd(text: string): AttoUsd {
  const amount = parseUsd(text)
  if (amount === null) throw new InvariantError(`"${text}" in the bundled catalog is not a price.`)
  return amount
}
