import { z } from 'zod'
import { creditsNumber } from '../money-schema.ts'
import { priceWarnings } from './operator-insight.ts'
import { operatorReason } from './operator-settings.ts'

/** US dollars: per million tokens, or per request. */
const dollars = z
  .string()
  .trim()
  .regex(/^\d{1,6}(\.\d{1,12})?$/, 'expected US dollars, such as 2.50.')

const modelId = z.string().trim().min(1).max(200).regex(/^\S+$/, 'expected the id of a model.')

/** What a model costs upstream; what is null is priced as what it is a part of. */
export const offerPrice = z.strictObject({
  input: dollars.describe('Per million input tokens.'),
  output: dollars.describe('Per million output tokens.'),
  cached_input: dollars.nullable().default(null),
  cache_write: dollars.nullable().default(null),
  request: dollars.nullable().default(null).describe('Per request, beside the tokens.'),
})

export type OfferPrice = z.output<typeof offerPrice>

export const OFFER_TARGETS_MAX = 8

/** Where a model or alias is served. */
export const offerRoute = z.strictObject({
  targets: z
    .array(
      z.strictObject({
        upstream: z.string().min(1).max(32).describe('Its name in the configuration.'),
        model: modelId.nullable().default(null).describe('The id that the upstream knows; null for the same.'),
        price: offerPrice.nullable().default(null),
        bills_on_cancel: z
          .boolean()
          .default(true)
          .describe('Whether it bills a chat whose client leaves before the first content.'),
        weight: z.int().min(1).max(1_000).nullable().default(null).describe('Given to all targets or to none.'),
      }),
    )
    .min(1)
    .max(OFFER_TARGETS_MAX)
    .describe('Asked in this order, or drawn by their weights.'),
  fallback: z.boolean().default(true),
})

export type OfferRoute = z.output<typeof offerRoute>

/** One change; null goes back to what holds without it. */
export const offerChange = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('price'), id: modelId, value: offerPrice.nullable() }),
  z.strictObject({ kind: z.literal('route'), id: modelId, value: offerRoute.nullable() }),
])

export type OfferChange = z.output<typeof offerChange>

const setWhere = {
  id: z.string(),
  set_in: z.enum(['file', 'console']).describe('The file goes first.'),
  at: z.int().nullable().describe('Seconds since the epoch; null in the file.'),
  by: z.string().nullable(),
}

export const offersReply = z.object({
  upstreams: z.array(z.object({ name: z.string(), kind: z.string() })),
  prices: z.array(z.object({ ...setWhere, value: offerPrice })),
  routes: z.array(z.object({ ...setWhere, value: offerRoute })),
  problems: z.array(z.string()).describe('Entries that hold no more, such as a route to an upstream that is gone.'),
})

export type Offers = z.output<typeof offersReply>

const offered = z.object({
  upstreams: z.array(z.string()),
  warnings: z.array(z.enum(priceWarnings)),
  lines: z.array(
    z.object({
      kind: z.enum(['input', 'output', 'unit']),
      cost: creditsNumber.nullable(),
      selling: creditsNumber,
      margin_bps: z.int().nullable(),
    }),
  ),
})

/** What a change would do: every model that is sold otherwise then. */
export const offerPreview = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      before: offered.nullable().describe('Null where it is not sold.'),
      after: offered.nullable(),
    }),
  ),
})

export type OfferPreview = z.output<typeof offerPreview>

export const offerPreviewRequest = z.strictObject({ change: offerChange })
export const offerChangeRequest = z.strictObject({ change: offerChange, reason: operatorReason })
