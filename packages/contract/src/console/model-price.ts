import { z } from 'zod'
import { modelTypes } from '../kinds.ts'
import { creditsNumber, usdNumber } from '../money-schema.ts'
import { wholeNumber } from '../whole-number.ts'

/** Requests of one sum, and units of one request, at most. */
const REQUESTS_MAX = 1_000_000_000
const UNITS_MAX = 100_000_000

const whole = (max: number) => wholeNumber({ min: 0, max })
const setting = z.string().min(1).max(40).optional()

/** So many requests, all alike. What does not concern the model's kind is not read. */
export const modelPriceQuery = z.object({
  model: z.string().min(1).max(256),
  requests: whole(REQUESTS_MAX).default(1),
  input_tokens: whole(UNITS_MAX).default(0),
  cached_tokens: whole(UNITS_MAX).default(0).describe('Part of `input_tokens`.'),
  output_tokens: whole(UNITS_MAX).default(0),
  images: whole(1_000).default(1).describe('Renders of one request.'),
  input_images: whole(100).default(0).describe('Images that one request gives.'),
  size: setting.describe('Of an image, such as 1024x1536 or 2K.'),
  quality: setting,
  resolution: setting.describe('Of a video, such as 720p.'),
  seconds: whole(1_000_000).default(0).describe('Of video or audio in one request.'),
  characters: whole(UNITS_MAX).default(0).describe('Of the text to speak; bytes where a model is sold by them.'),
})

export type ModelPriceQuery = z.output<typeof modelPriceQuery>

/** What these requests cost by the prices of now, each rounded as a charge is. */
export const modelPrice = z.object({
  model: z.string(),
  type: z.enum(modelTypes),
  requests: z.int(),
  credits_per_request: creditsNumber,
  credits: creditsNumber.describe('Of all requests.'),
  usd: usdNumber,
  basis: z.enum(['card', 'list']).describe('The rate card, or the list price with the margin.'),
  may_be_more: z
    .boolean()
    .describe('True where an upstream reports a cost for each request, which decides where it is dearer.'),
})

export type ModelPrice = z.output<typeof modelPrice>
