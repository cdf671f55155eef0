import { z } from 'zod'
import { modelTypes } from '../kinds.ts'
import { creditsNumber } from '../money-schema.ts'
import { boundedNumber, wholeNumber } from '../whole-number.ts'

const whole = (max: number) => wholeNumber({ min: 0, max })
const setting = z.string().min(1).max(40).optional()

/**
 * One request before it is sent: what decides its price, without its words. What does not concern the model's kind is
 * not read.
 */
export const requestPriceQuery = z.object({
  model: z.string().min(1).max(256),
  bytes: whole(100_000_000)
    .default(0)
    .describe('UTF-8 bytes of the prompt or text; of a chat those of its JSON body, without the data of its images.'),
  characters: whole(100_000_000).default(0).describe('Of the prompt or text.'),
  explains: z.enum(['true', 'false']).default('false').describe('Whether a chat has tools or a response format.'),
  max_tokens: wholeNumber({ min: 1, max: 100_000_000 }).optional(),
  images: wholeNumber({ min: 1, max: 1_000 }).default(1).describe('Images to make.'),
  input_images: whole(100).default(0).describe('That the request gives.'),
  size: setting.describe('Of an image, such as 1024x1536 or 2K.'),
  quality: setting,
  resolution: setting.describe('Of a video, such as 720p.'),
  audio: z.enum(['true', 'false']).optional().describe('Whether a video has audio.'),
  seconds: boundedNumber({ min: 0, max: 1_000_000 }).optional().describe('Of a video, or of the audio to transcribe.'),
})

export type RequestPriceQuery = z.output<typeof requestPriceQuery>

/** What the request can cost by the prices of now. */
export const requestPrice = z.object({
  model: z.string(),
  type: z.enum(modelTypes),
  credits_at_least: creditsNumber.describe('What is probably charged at least for an answer.'),
  credits_likely: creditsNumber.describe('What such a request usually costs.'),
  credits_at_most: creditsNumber.describe('What is held for the request, where the balance pays for it.'),
  is_guess: z.boolean().describe('The list price is a guess: what the upstream reports is charged.'),
  counted: z
    .record(z.string(), z.union([z.int(), z.string()]))
    .describe('What was multiplied, such as `seconds` or `output_tokens_at_most`.'),
})

export type RequestPrice = z.output<typeof requestPrice>
