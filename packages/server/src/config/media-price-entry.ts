import { z } from 'zod'
import { usdText } from './decimal-price.ts'

const name = z.string().min(1).max(100)

const imagePrice = z.strictObject({
  type: z.literal('image'),
  per_image: usdText.describe('USD for one render; with variants, the cheapest of them.'),
  variants: z
    .array(
      z.strictObject({
        resolution: name.optional().describe('Such as 1K or 2K.'),
        size: name.optional().describe('Pixels such as 1024x1536, or megapixels such as 2MP.'),
        quality: name.optional(),
        mode: name.optional(),
        per_image: usdText,
      }),
    )
    .max(100)
    .optional()
    .describe('USD for one render with these settings. A setting that is left out does not matter.'),
  per_input_image: usdText.optional().describe('USD for each image that a request gives.'),
  per_request: usdText.optional().describe('USD for each request, beside its renders.'),
  max_n: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('Renders that one call makes at most; more are asked for one by one.'),
  max_input_images: z.int().min(0).max(100).optional().describe('Images that a request may give.'),
  streams: z.boolean().optional().describe('Whether it sends partial images.'),
})

const videoPrice = z.strictObject({
  type: z.literal('video'),
  per_second: usdText.describe('USD for a second with the default settings.'),
  default_resolution: name.optional(),
  default_audio: z.boolean().optional(),
  variants: z
    .array(z.strictObject({ resolution: name.optional(), audio: z.boolean().optional(), per_second: usdText }))
    .max(100)
    .optional(),
  per_input_image: usdText.optional().describe('USD for each image that a request gives.'),
  minimum: usdText.optional().describe('Least USD for one video.'),
  supported_durations: z.array(z.int().min(1).max(3_600)).max(200).optional().describe('In seconds.'),
  supported_resolutions: z.array(name).max(50).optional(),
})

const voices = {
  voices: z.array(z.string().min(1).max(200)).max(1_000).optional().describe('Names that the upstream knows.'),
  default_voice: z.string().min(1).max(200).optional(),
  voice_required: z.boolean().optional(),
}

const speechPrice = z
  .strictObject({
    type: z.literal('speech'),
    per_character: usdText.optional().describe('USD for a Unicode code point of the input.'),
    per_byte: usdText.optional().describe('USD for a byte of the input as UTF-8.'),
    ...voices,
  })
  .refine((entry) => (entry.per_character === undefined) !== (entry.per_byte === undefined), {
    error: 'give per_character or per_byte, and not both',
  })

const transcriptionPrice = z
  .strictObject({
    type: z.literal('transcription'),
    per_second: usdText.optional().describe('USD for a second of audio.'),
    per_minute: usdText.optional().describe('USD for a minute of audio.'),
  })
  .refine((entry) => (entry.per_second === undefined) !== (entry.per_minute === undefined), {
    error: 'give per_second or per_minute, and not both',
  })

/** What a model that makes or reads media costs upstream. The type says what it is used for. */
export const mediaPriceSchema = z.discriminatedUnion('type', [imagePrice, videoPrice, speechPrice, transcriptionPrice])

export type MediaPriceEntry = z.output<typeof mediaPriceSchema>
