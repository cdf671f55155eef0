/**
 * Reads the model list of an upstream: OpenRouter's form, or OpenAI's with or without the extras that servers add to
 * it.
 *
 * An odd row is left out and named; it never spoils the others.
 */
import { isSoldByPrompt, isSoldByTokens, type ModelType, modelTypes } from '@svc/contract'
import { z } from 'zod'
import type { CatalogRow } from './catalog-row.ts'
import { mediaRowFields, type MediaRow, readLiveImage, readLiveVideo } from './live-media.ts'
import { parseListPrices } from './live-prices.ts'
import type { ListedMedia } from './media-offer.ts'
import { typeOfId } from './type-of-id.ts'

export interface ParsedList {
  readonly rows: readonly CatalogRow[]
  /** What the rows were made from, with the fields that matter: enough to read them again. */
  readonly source: readonly unknown[]
  readonly skipped: readonly SkippedRow[]
}

export interface SkippedRow {
  readonly id: string
  readonly reason: 'not a model' | 'variant' | 'router' | 'odd price' | 'no text or media' | 'repeated'
}

/** More rows than any upstream has; the rest of a longer list is not read. */
const MAX_ROWS = 20_000

// A cut may leave half a character.
const text = (longest: number) => z.string().transform((value) => value.slice(0, longest).toWellFormed())
const optionalText = (longest: number) => text(longest).nullish().catch(null)
const count = z.int().min(1).nullish().catch(null)
const names = z.array(z.string().max(100)).max(100).nullish().catch(null)

const rowSchema = z.object({
  id: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[\x21-\x7e]+$/),
  name: optionalText(200),
  created: count,
  description: optionalText(2_000),
  context_length: count,
  context_window: count,
  max_model_len: count,
  max_completion_tokens: count,
  architecture: z.object({ input_modalities: names, output_modalities: names }).nullish().catch(null),
  top_provider: z.object({ context_length: count, max_completion_tokens: count }).nullish().catch(null),
  supported_parameters: names,
  pricing: z.record(z.string(), z.unknown()).nullish().catch(null),
  ...mediaRowFields,
})

type ListRow = z.output<typeof rowSchema>

/**
 * Parses a list as an upstream answered it.
 *
 * @param list untrusted: `{ data: […] }`, or the array alone.
 * @returns null when it is no list, or says itself that it is not whole.
 */
export function parseLiveList(list: unknown): ParsedList | null {
  const items = listItems(list)
  if (items === null) return null
  const rows = new Map<string, CatalogRow>()
  const source: unknown[] = []
  const skipped: SkippedRow[] = []
  for (const item of items.slice(0, MAX_ROWS)) {
    const parsed = rowSchema.safeParse(item)
    if (!parsed.success) {
      skipped.push({ id: idOf(item), reason: 'not a model' })
      continue
    }
    const row = rowFrom(parsed.data)
    if ('reason' in row) skipped.push(row)
    else if (rows.has(row.id)) skipped.push({ id: row.id, reason: 'repeated' })
    else {
      rows.set(row.id, row)
      source.push(parsed.data)
    }
  }
  return { rows: [...rows.values()], source, skipped }
}

function listItems(list: unknown): readonly unknown[] | null {
  if (Array.isArray(list)) return list
  const paged = z
    .object({
      data: z.array(z.unknown()),
      links: z.object({ next: z.string().nullish() }).nullish().catch(null),
    })
    .safeParse(list)
  if (!paged.success || isPresent(paged.data.links?.next)) return null
  return paged.data.data
}

function rowFrom(row: ListRow): CatalogRow | SkippedRow {
  const { id } = row
  // Batch ids answer on another endpoint, free ones and `~` aliases would be sold without a cost of their own.
  if (id.includes(':batch') || id.includes(':free') || id.startsWith('~')) return { id, reason: 'variant' }
  const outputModalities = row.architecture?.output_modalities ?? [typeOfId(id).output]
  const type = typeFrom(outputModalities)
  if (type === null) return { id, reason: 'no text or media' }
  const searches = row.supported_parameters?.includes('web_search_options') === true
  const prices =
    row.pricing === null || row.pricing === undefined
      ? 'unknown'
      : parseListPrices(pricingOf(row.pricing, type), searches)
  if (prices === 'router' && isSoldByTokens(type)) return { id, reason: 'router' }
  if (prices === 'odd') return { id, reason: 'odd price' }
  const contextLength = row.context_length ?? row.context_window ?? row.max_model_len ?? null
  return {
    id,
    type,
    name: row.name ?? id,
    description: row.description ?? null,
    created: row.created ?? 0,
    contextLength: contextLength ?? row.top_provider?.context_length ?? null,
    maxOutputTokens: row.top_provider?.max_completion_tokens ?? row.max_completion_tokens ?? null,
    inputModalities: row.architecture?.input_modalities ?? ['text'],
    outputModalities,
    supportedParameters: row.supported_parameters ?? [],
    prices: typeof prices === 'string' || !hasTokenPrice(type, outputModalities) ? null : prices,
    media: mediaFrom(type, row),
  }
}

/** Lists say nothing dependable about the unit in which speech and transcription are sold. */
function mediaFrom(type: ModelType, row: MediaRow): ListedMedia | null {
  if (type === 'image') return readLiveImage(row)
  return type === 'video' ? readLiveVideo(row) : null
}

/** Lists may leave out the price of an output that there is none of. */
function pricingOf(pricing: Readonly<Record<string, unknown>>, type: ModelType): Readonly<Record<string, unknown>> {
  return isSoldByPrompt(type) && !isPresent(pricing['completion']) ? { ...pricing, completion: '0' } : pricing
}

/** A model of media that writes as well is sold by tokens, too. */
function hasTokenPrice(type: ModelType, outputModalities: readonly string[]): boolean {
  return isSoldByTokens(type) || outputModalities.includes('text')
}

/** A model that makes media beside text is one of media. */
function typeFrom(outputModalities: readonly string[]): ModelType | null {
  const media = modelTypes.filter((type) => !isSoldByTokens(type))
  const type = [...media, ...modelTypes].find((each) => outputModalities.includes(each))
  return type ?? (outputModalities.includes('embeddings') ? 'embedding' : null)
}

function idOf(item: unknown): string {
  const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : null
  return typeof id === 'string' ? id.slice(0, 200) : ''
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
