import { z } from 'zod'
import { chargeState } from './charge-state.ts'
import { MODEL_CHARACTERS_MAX, USER_CHARACTERS_MAX } from './chat.ts'
import { creditsNumber, usdNumber } from './money-schema.ts'

/** Most renders of one request. Source: OpenAI, `n`. */
export const IMAGES_MAX = 10
/** Most characters of a prompt for images. Source: OpenAI. */
export const IMAGE_PROMPT_CHARACTERS_MAX = 32_000
/** Most images that one request may give. Source: OpenAI, image edits. */
export const INPUT_IMAGES_MAX = 16
/** Largest image of a form, in bytes. Source: OpenAI, image edits. */
export const INPUT_IMAGE_BYTES_MAX = 50_000_000
/** Longest address of an image; a data URL holds all of it. Source: OpenAI, image edits. */
export const IMAGE_URL_CHARACTERS_MAX = 20_971_520
const PARTIAL_IMAGES_MAX = 3
const MASK_URL_CHARACTERS_MAX = 6_000_000

/** Pixels, a tier, or the upstream's own choice. */
const size = z
  .string()
  .regex(
    /^(?:auto|\d{2,5}x\d{2,5}|512|\d(?:\.\d)?[kK])$/,
    "expected pixels such as '1024x1024', a tier such as '2K', or 'auto'.",
  )
const word = z.string().min(1).max(32)

const imageUrl = z.string().min(1).max(IMAGE_URL_CHARACTERS_MAX).describe('An https or data URL.')

/** The settings that requests for new and for changed images share. `null` is the same as absence. */
const settings = {
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX),
  prompt: z.string().max(IMAGE_PROMPT_CHARACTERS_MAX).describe('What the image shall show; not blank.'),
  n: z.int().min(1).max(IMAGES_MAX).nullish().describe('Images to make; 1 by default. Each that comes is charged.'),
  size: size.nullish().describe('`1024x1536`, a tier such as `2K`, or `auto`.'),
  quality: word.nullish().describe('`auto`, `low`, `medium`, `high`, and what the model knows beside these.'),
  response_format: z
    .enum(['url', 'b64_json'])
    .nullish()
    .describe('`b64_json` by default; `url` gives signed addresses that hold for 60 minutes.'),
  output_format: z.enum(['png', 'jpeg', 'webp', 'svg']).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  moderation: z.enum(['auto', 'low']).nullish(),
  seed: z.int().nullish(),
  aspect_ratio: z
    .string()
    .regex(/^(?:auto|\d{1,3}:\d{1,3})$/, "expected a ratio such as '16:9', or 'auto'.")
    .nullish(),
  resolution: word.nullish().describe('A tier such as `1K`, for models that are sold by tiers.'),
  stream: z.boolean().nullish().describe('Sends partial images as events while they are made.'),
  partial_images: z
    .int()
    .min(0)
    .max(PARTIAL_IMAGES_MAX)
    .nullish()
    .describe('Partial images of each render, where the upstream sends them.'),
  user: z.string().max(USER_CHARACTERS_MAX).nullish(),
}

/** What requests for new and for changed images have in common. */
export type ImageFields = z.output<z.ZodObject<typeof settings>>

const reference = z.looseObject({
  type: z.literal('image_url').nullish(),
  image_url: z.union([imageUrl, z.looseObject({ url: imageUrl })]),
})

/** `POST /v1/images/generations`. Source: spec 2.3. */
export const imageRequest = z
  .looseObject({
    ...settings,
    style: z.enum(['vivid', 'natural']).nullish(),
    input_references: z.array(reference).max(INPUT_IMAGES_MAX).nullish().describe('Images to go by.'),
  })
  .meta({ id: 'ImageRequest' })

const givenImage = z.looseObject({
  image_url: imageUrl.nullish(),
  file_id: z.string().nullish().describe('Not supported.'),
})

/** `POST /v1/images/edits` as JSON. */
export const imageEditRequest = z
  .looseObject({
    ...settings,
    input_fidelity: z.enum(['high', 'low']).nullish(),
    images: z.array(givenImage).min(1).max(INPUT_IMAGES_MAX).describe('The images to change.'),
    mask: z
      .looseObject({ image_url: imageUrl.max(MASK_URL_CHARACTERS_MAX).nullish(), file_id: z.string().nullish() })
      .nullish()
      .describe('A PNG whose transparent parts are changed.'),
  })
  .meta({ id: 'ImageEditRequest' })

/** The fields of `POST /v1/images/edits` as a form, files aside. */
export const imageEditFields = z.looseObject({ ...settings, input_fidelity: z.enum(['high', 'low']).nullish() })

/** The same with its files, for the document. */
export const imageEditForm = z.object({
  model: settings.model,
  prompt: settings.prompt,
  image: z
    .array(z.file())
    .max(INPUT_IMAGES_MAX)
    .describe('The images to change; the name may also be written `image[]`.'),
  mask: z.file().optional(),
  n: settings.n.unwrap().unwrap().optional(),
  size: settings.size.unwrap().unwrap().optional(),
  quality: word.optional(),
  response_format: settings.response_format.unwrap().unwrap().optional(),
  output_format: settings.output_format.unwrap().unwrap().optional(),
  input_fidelity: z.enum(['high', 'low']).optional(),
  stream: z.boolean().optional(),
  partial_images: settings.partial_images.unwrap().unwrap().optional(),
})

const imageUsage = z
  .looseObject({
    input_tokens: z.int().optional(),
    output_tokens: z.int().optional(),
    total_tokens: z.int(),
    input_tokens_details: z
      .looseObject({ text_tokens: z.int(), image_tokens: z.int() })
      .optional()
      .describe('What the upstream does not tell apart counts as text.'),
    cost: usdNumber.describe('The charge in US dollars.'),
  })
  .describe('Tokens where the upstream counts them.')

const svc = z.looseObject({
  credits_charged: creditsNumber,
  margin_bps: z.int(),
  estimated: z.boolean().optional(),
  state: chargeState,
})

/** The settings that were used, where the upstream reports them. */
const used = {
  background: z.string().optional(),
  output_format: z.string().optional(),
  quality: z.string().optional(),
  size: z.string().optional(),
}

/** The images that came. */
export const imageReply = z
  .looseObject({
    created: z.int(),
    ...used,
    data: z.array(
      z.looseObject({
        b64_json: z.string().optional(),
        url: z.string().optional().describe('Holds for 60 minutes, without a key.'),
        revised_prompt: z.string().optional(),
      }),
    ),
    usage: imageUsage.optional(),
    svc,
  })
  .meta({ id: 'ImageReply' })

export type ImageReply = z.output<typeof imageReply>

/** One event of a stream of images; the last `…completed` carries `svc`. */
export const imageEvent = z
  .looseObject({
    type: z.enum([
      'image_generation.partial_image',
      'image_generation.completed',
      'image_edit.partial_image',
      'image_edit.completed',
    ]),
    b64_json: z.string(),
    created_at: z.int(),
    partial_image_index: z.int().optional(),
    ...used,
    usage: imageUsage.optional(),
    svc: svc.optional(),
  })
  .meta({ id: 'ImageEvent' })

const imagePrice = z.looseObject({
  unit: z
    .enum(['image', 'input_image', 'request', 'input_token', 'input_image_token'])
    .describe('`input_token`: of the prompt, `input_image_token`: of given images, where models are sold by both.'),
  credits: creditsNumber,
  resolution: z.string().optional(),
  size: z.string().optional(),
  quality: z.string().optional(),
  mode: z.string().optional(),
})

/** A model that makes images, and what they cost. Source: spec 2.12. */
export const imageModelEntry = z
  .looseObject({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    credits_per_image: creditsNumber.describe('One render with the settings that are cheapest, margin included.'),
    pricing: z.array(imagePrice).describe('What each variant costs, margin included.'),
    supported_sizes: z.array(z.string()).describe('Sizes and tiers that have a price of their own.'),
    supported_qualities: z.array(z.string()),
    supported_parameters: z.looseObject({}).describe("As the upstream's list describes them; may be empty."),
    max_n: z.int(),
    max_input_images: z.int().nullable(),
    supports_streaming: z
      .boolean()
      .nullable()
      .describe('Whether partial images come; null where the upstream does not say.'),
    supports_edits: z.boolean(),
    estimated: z.boolean().describe('The list price is a guess; the cost that the upstream reports is charged.'),
    margin_bps: z.int(),
  })
  .meta({ id: 'ImageModel' })

export type ImageModelEntry = z.output<typeof imageModelEntry>

export const imageModelList = z
  .object({ object: z.literal('list'), data: z.array(imageModelEntry) })
  .meta({ id: 'ImageModelList' })
