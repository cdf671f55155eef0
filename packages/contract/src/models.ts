import { z } from 'zod'
import { modelTypes } from './kinds.ts'
import { creditsNumber } from './money-schema.ts'
import { wholeNumber } from './whole-number.ts'

/** Whether prompts may be trained on. */
export const promptTrainings = ['may', 'never'] as const

/** `may`: providers of a model may train on what is sent to it. `never`: they do not. */
export type PromptTraining = (typeof promptTrainings)[number]

/**
 * Selling prices in US dollars per unit as decimal text, margin included: the form that readers of OpenRouter's lists
 * expect.
 */
const modelPricing = z.looseObject({
  prompt: z.string().describe('Per prompt token.'),
  completion: z.string().describe('Per output token.'),
  input_cache_read: z.string().optional(),
  input_cache_write: z.string().optional(),
  input_cache_write_1h: z
    .string()
    .optional()
    .describe('Per token written to the cache for an hour, where that costs more.'),
  audio: z.string().optional().describe('Per prompt token of audio, where it has a price of its own.'),
  audio_output: z.string().optional().describe('Per output token of audio, where it has a price of its own.'),
  image_output: z.string().optional().describe('Per output token of images, where it has a price of its own.'),
  request: z.string().optional(),
  overrides: z
    .array(
      z.looseObject({
        min_prompt_tokens: z.int().describe('Applies to the whole request when the prompt has more tokens than this.'),
        prompt: z.string().optional(),
        completion: z.string().optional(),
        input_cache_read: z.string().optional(),
        input_cache_write: z.string().optional(),
        input_cache_write_1h: z.string().optional(),
      }),
    )
    .optional(),
})

const modelSvc = z.looseObject({
  type: z.enum(modelTypes),
  featured: z.boolean(),
  confidential: z
    .boolean()
    .describe(
      'Served by providers of confidential compute only, who cannot read prompts. False where the upstream does not say.',
    ),
  prompt_training: z
    .enum(promptTrainings)
    .nullable()
    .describe(
      'Whether its providers may train on prompts, by the strictest of its upstreams, as the operator says: ' +
        '`may`, `never`, or null where the operator does not say. Null is no promise.',
    ),
  alias_for: z.string().nullable().describe('The model that this alias leads to.'),
  aliases: z.array(z.string()).describe('Aliases that lead to this model.'),
  credits_per_1m_input: creditsNumber.nullable().describe('Credits per million prompt tokens, margin included.'),
  credits_per_1m_output: creditsNumber.nullable().describe('Credits per million output tokens, margin included.'),
  unit: z
    .enum(['image', 'second', 'character', 'byte'])
    .nullable()
    .describe('What is counted where media are sold; null for models that are sold by tokens alone.'),
  credits_per_unit: creditsNumber
    .nullable()
    .describe('Credits for one such unit with the default settings, margin included; the lists of media say more.'),
  voices: z
    .array(z.string())
    .optional()
    .describe('Of a model that speaks: its own voices, the default first; empty where the upstream lists none.'),
  margin_bps: z.int(),
})

/** What an entry has besides as entries of OpenRouter's list have it. Source: OpenRouter, models. */
const openRouterEntry = {
  canonical_slug: z.string(),
  links: z.object({ details: z.string() }),
  default_parameters: z.null(),
  per_request_limits: z.null(),
  supported_voices: z.array(z.string()).nullable(),
  top_provider: z.object({
    context_length: z.int().nullable(),
    max_completion_tokens: z.int().nullable(),
    is_moderated: z.boolean(),
  }),
}

/** What an entry has besides for clients of Anthropic's API. Source: Anthropic, models. */
const anthropicEntry = {
  type: z.literal('model'),
  display_name: z.string(),
  created_at: z.string().describe('The same time as `created`.'),
  max_input_tokens: z.int().nullable(),
  max_tokens: z.int().nullable(),
  lifecycle: z.literal('active'),
  deprecated_at: z.null(),
  retires_at: z.null(),
  line: z.null(),
  capabilities: z.null(),
}

/** A model that a key can address. */
export const modelEntry = z
  .looseObject({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    shutdown_date: z.string().nullish(),
    name: z.string(),
    description: z.string().describe('Empty where the list has none.'),
    context_length: z.int().nullable(),
    max_output_tokens: z.int().nullable(),
    architecture: z.looseObject({
      modality: z.string().describe('Both lists in one word, such as `text+image->text`.'),
      input_modalities: z.array(z.string()),
      output_modalities: z.array(z.string()),
    }),
    supported_parameters: z.array(z.string()),
    ...openRouterEntry,
    pricing: modelPricing.nullable().describe('Null for models that are not sold by tokens.'),
    svc: modelSvc,
    ...z.object(anthropicEntry).partial().shape,
  })
  .meta({ id: 'Model', description: 'With the header `anthropic-version` it has the fields of Anthropic, too.' })

export type ModelEntry = z.output<typeof modelEntry>

/** All models, the featured aliases first. */
export const modelList = z
  .object({
    object: z.literal('list'),
    data: z.array(modelEntry),
    total_count: z.int().describe('How many pass the filters.'),
    links: z.object({ next: z.null() }),
    has_more: z.boolean().optional().describe('With the header `anthropic-version`, as the two ids.'),
    first_id: z.string().nullish(),
    last_id: z.string().nullish(),
  })
  .meta({ id: 'ModelList' })

export type ModelListReply = z.output<typeof modelList>

/** The id of an entry beside a page. */
const pageId = z.string().min(1).max(256)

/** Filters and page of `GET /v1/models`. Without `limit` the list is whole. */
export const modelsQuery = z.object({
  type: z.enum([...modelTypes, 'all']).optional(),
  q: z.string().max(200).optional().describe('Words that the id or the name contains.'),
  limit: wholeNumber({ min: 1, max: 1_000 }).optional(),
  offset: wholeNumber({ min: 0, max: 1_000_000 }).optional(),
  after_id: pageId.optional().describe('With the header `anthropic-version`: the id before the first entry.'),
  before_id: pageId.optional().describe('With the header `anthropic-version`: the id behind the last entry.'),
})

export type ModelsQuery = z.output<typeof modelsQuery>

export const modelPath = z.object({
  id: z.string().min(1).max(256).describe('The id; its slashes may be written raw or as %2F.'),
})
