import { z } from 'zod'
import { creditsNumber } from './money-schema.ts'
import { transcriptionFields } from './transcription.ts'

/** Endpoints of paid requests: those that can be quoted, and that are refused while the gateway is overloaded. */
export const paidPaths = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1/embeddings',
  '/v1/rerank',
  '/v2/rerank',
  '/v1/moderations',
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/images',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
  '/v1/videos/generations',
  '/v1/videos',
] as const

export type PaidPath = (typeof paidPaths)[number]

/** A request that is quoted in place of being worked on. */
export const quoteRequest = z.object({
  endpoint: z.enum(paidPaths).describe('The path that the request would be sent to.'),
  body: z
    .looseObject({})
    .describe(
      'The JSON body that would be sent, byte for byte. For audio files: the fields of the form, and `seconds` in place ' +
        'of the file. For changed images: the JSON form of the request.',
    ),
})

/** An audio file of a quote: its form's fields as JSON, and how long it is. */
export const quotedAudio = transcriptionFields.extend({
  seconds: z.number().positive().max(1_000_000).describe('How long the audio is.'),
  stream: z.union([z.enum(['true', 'false']), z.boolean()]).optional(),
})

/** What a quote counts. `searches` are those of a ranking; `requests` are calls of an upstream. */
const quoteUnits = [
  'prompt_tokens',
  'completion_tokens',
  'requests',
  'searches',
  'images',
  'input_images',
  'input_image_tokens',
  'characters',
  'bytes',
  'seconds',
  'videos',
] as const

export type QuoteUnit = (typeof quoteUnits)[number]

const quoteLine = z.object({
  unit: z.enum(quoteUnits).describe('What the price is for.'),
  quantity: z.int().describe('At most.'),
  credits_per_unit: creditsNumber.describe('Price of one unit, margin included.'),
  credits: creditsNumber.describe('`quantity` × `credits_per_unit`, exactly.'),
})

export const quoteReply = z
  .object({
    object: z.literal('quote'),
    quote_id: z.string().describe('To be sent with the request in the header `x-svc-quote`.'),
    created: z.int().describe('Seconds since the epoch.'),
    expires_at: z.int().describe('Seconds since the epoch: ten minutes later.'),
    endpoint: z.enum(paidPaths),
    model: z.string().describe('As the request names it.'),
    credits_at_most: creditsNumber.describe('The request costs no more when it is sent with the quote.'),
    credits_likely: creditsNumber.describe('What such a request usually costs.'),
    margin_bps: z.int(),
    lines: z.array(quoteLine).describe('What the maximum is made of: their `credits` add up to it.'),
  })
  .meta({ id: 'Quote' })

export type QuoteReply = z.output<typeof quoteReply>
