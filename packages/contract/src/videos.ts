import { z } from 'zod'
import { creditsNumber, usdNumber } from './money-schema.ts'
import { wholeNumber } from './whole-number.ts'

/** Longest prompt, in characters. Source: OpenAI's API reference, "Create video"; decision 0024 (video jobs). */
export const VIDEO_PROMPT_MAX = 32_000
/** Longest video that can be asked for, in seconds. Source: decision 0024. */
export const VIDEO_SECONDS_MAX = 60
/** Largest image that can come as a file, in bytes. Source: decision 0024. */
export const VIDEO_FILE_BYTES_MAX = 20 * 1024 * 1024
/** Most jobs on one page, and how many come unasked. Source: OpenAI's API reference, "List videos". */
export const VIDEO_PAGE_MAX = 100
export const VIDEO_PAGE_DEFAULT = 20

const mediaUrl = z.object({
  url: z
    .string()
    .max(28_000_000)
    .regex(/^(?:[hH][tT]{2}[pP][sS]?:\/\/|[dD][aA][tT][aA]:)/, 'expected an https: or data: address.'),
})

const frameImage = z.object({
  type: z.literal('image_url').default('image_url'),
  image_url: mediaUrl,
  frame_type: z.enum(['first_frame', 'last_frame']).default('first_frame'),
})

const inputReference = z.object({
  type: z.enum(['image_url', 'audio_url', 'video_url']),
  image_url: mediaUrl.nullish(),
  audio_url: mediaUrl.nullish(),
  video_url: mediaUrl.nullish(),
})

/** What a request for a video says, in OpenAI's and in OpenRouter's words. */
export const videoRequest = z
  .object({
    model: z.string().min(1).max(256),
    prompt: z
      .string()
      .max(VIDEO_PROMPT_MAX)
      .nullish()
      .describe('What the video shows. May be left out where images say it.'),
    // Without limits here: what is wrong with a length depends on the model, which says what it makes.
    duration: z
      .int()
      .nullish()
      .describe(`Seconds of video, one of the model's lengths, at most ${VIDEO_SECONDS_MAX}; billing is per second.`),
    seconds: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, "expected whole seconds as text, such as '8'.")
      .nullish()
      .describe("The same as `duration`, as OpenAI's clients send it: text."),
    resolution: z.string().min(1).max(16).nullish().describe('Such as `720p`; see the list of models.'),
    size: z
      .string()
      .regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, "expected pixels, such as '1280x720'.")
      .nullish()
      .describe('Width and height in pixels, in place of `resolution`.'),
    aspect_ratio: z
      .string()
      .regex(/^[1-9]\d{0,2}:[1-9]\d{0,2}$/, "expected a ratio, such as '16:9'.")
      .nullish(),
    generate_audio: z.boolean().nullish(),
    seed: z.int().min(0).max(4_294_967_295).nullish(),
    frame_images: z.array(frameImage).max(2).nullish().describe('Images that the video begins and ends with.'),
    input_references: z.array(inputReference).max(16).nullish(),
    input_reference: z
      .object({ image_url: z.string().max(28_000_000).nullish(), file_id: z.string().max(256).nullish() })
      .nullish()
      .describe('An image that the video begins with, as OpenAI has it. `file_id` is not supported.'),
    n: z.int().min(1).max(1).nullish().describe('One video for each request.'),
    user: z.string().max(256).nullish(),
  })
  .meta({ id: 'VideoRequest' })

export type VideoRequest = z.output<typeof videoRequest>

/** The same as a form: OpenAI's clients send it so. */
export const videoForm = z.object({
  model: z.string(),
  prompt: z.string().optional(),
  seconds: z.string().optional(),
  size: z.string().optional(),
  input_reference: z.file().optional().describe('An image that the video begins with, at most 20 MiB.'),
})

export const videoStates = ['queued', 'in_progress', 'completed', 'failed'] as const

/** A video that is being made or was made. */
export const videoReply = z
  .looseObject({
    id: z.string(),
    object: z.literal('video'),
    model: z.string(),
    status: z.enum(videoStates).describe('`queued`, then `in_progress`, then `completed` or `failed`.'),
    progress: z.int().min(0).max(100).describe('Percent, as far as the upstream reports it.'),
    created_at: z.int(),
    completed_at: z.int().nullable(),
    expires_at: z.int().nullable().describe('When the file ends; null until the video is completed.'),
    prompt: z.null().describe('Always null: prompts are not stored.'),
    seconds: z.string(),
    size: z.string().nullable(),
    remixed_from_video_id: z.null(),
    polling_url: z.string(),
    unsigned_urls: z.array(z.string()).optional().describe('Where the files are; no key is needed there.'),
    data: z.array(z.looseObject({ url: z.string(), content_type: z.string() })).optional(),
    usage: z.looseObject({ cost: usdNumber.describe('The charge in US dollars.') }).optional(),
    error: z
      .looseObject({ code: z.string(), message: z.string() })
      .optional()
      .describe('Why it failed; present only then. A failed video is free.'),
    svc: z.looseObject({
      credits_estimate: creditsNumber.describe('Held until the end; not a charge.'),
      credits_charged: creditsNumber.optional().describe('What the completed video was charged, once.'),
      margin_bps: z.int(),
    }),
  })
  .meta({ id: 'Video' })

export type VideoReply = z.output<typeof videoReply>

export const videoList = z
  .object({
    object: z.literal('list'),
    data: z.array(videoReply),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'VideoList' })

export type VideoListReply = z.output<typeof videoList>

export const videosQuery = z.object({
  limit: wholeNumber({ min: 1, max: VIDEO_PAGE_MAX }).prefault(VIDEO_PAGE_DEFAULT),
  after: z
    .string()
    .regex(/^vid_[0-9a-f]{44}$/, 'expected the id of a video.')
    .optional()
    .describe('Id of the last video of the page before.'),
  order: z.enum(['asc', 'desc']).default('desc').describe('By the time of the submission.'),
})

export type VideosQuery = z.output<typeof videosQuery>

export const videoPath = z.object({ jobId: z.string().min(1).max(64).describe('The id of the video.') })

export const videoDeleted = z
  .object({ id: z.string(), object: z.literal('video.deleted'), deleted: z.literal(true) })
  .meta({ id: 'VideoDeleted' })

export type VideoDeletedReply = z.output<typeof videoDeleted>

export const videoContentQuery = z.object({
  index: wholeNumber({ min: 0, max: 9 }).prefault(0).describe('Which file, from 0.'),
  variant: z.literal('video', { error: 'Only the video itself is kept: use variant=video.' }).default('video'),
  expires: z.string().max(16).optional().describe('When a signed address ends, in seconds since 1970.'),
  signature: z.string().max(128).optional().describe('What the gateway made for this address; in place of a key.'),
})

/** A model that makes videos, and what it costs. */
export const videoModel = z
  .looseObject({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    credits_per_second: creditsNumber
      .nullable()
      .describe('With the settings that apply when a request names none, margin included.'),
    price_note: z.string().optional().describe('Why `credits_per_second` is null.'),
    pricing: z.array(
      z.looseObject({
        unit: z.enum(['second', 'input_image', 'generation']),
        credits: creditsNumber,
        resolution: z.string().optional(),
        audio: z.boolean().optional(),
      }),
    ),
    estimated: z.boolean().describe('The list says itself that its price is a guess.'),
    supported_durations: z.array(z.int()).describe('Whole seconds; empty where the list does not say.'),
    supported_resolutions: z.array(z.string()),
    supported_aspect_ratios: z.array(z.string()),
    supported_sizes: z.array(z.string()),
    generate_audio: z.boolean().nullable(),
    default_duration: z.int(),
    default_resolution: z.string().nullable(),
  })
  .meta({ id: 'VideoModel' })

export type VideoModelEntry = z.output<typeof videoModel>

export const videoModelList = z
  .object({ object: z.literal('list'), data: z.array(videoModel) })
  .meta({ id: 'VideoModelList' })

export type VideoModelListReply = z.output<typeof videoModelList>
