import { z } from 'zod'
import { chatCharge, MODEL_CHARACTERS_MAX } from './chat.ts'
import { usdNumber } from './money-schema.ts'

/** Most texts, or parts, of one request. Source: own choice; each text is a result of its own. */
export const MODERATION_INPUTS_MAX = 2_048
/** The model of a request that names none. Source: OpenAI's API reference, "Create moderation". */
export const MODERATION_MODEL_DEFAULT = 'omni-moderation-latest'

const part = z.looseObject({ type: z.enum(['text', 'image_url']) })

/** The body of a request to classify what texts and images say. Fields that are not listed go to the upstream unchanged. */
export const moderationRequest = z.looseObject({
  model: z
    .string()
    .min(1)
    .max(MODEL_CHARACTERS_MAX)
    .nullish()
    .describe(`A model id; \`${MODERATION_MODEL_DEFAULT}\` where none is named.`),
  input: z
    .union([
      z.string(),
      z.array(z.string()).min(1).max(MODERATION_INPUTS_MAX),
      z.array(part).min(1).max(MODERATION_INPUTS_MAX),
    ])
    .describe('A text, several texts with a result each, or parts of one: `text` and `image_url`.'),
})

export type ModerationRequest = z.output<typeof moderationRequest>

/** A result for each text, or one for all parts. */
export const moderationReply = z
  .looseObject({
    id: z.string(),
    model: z.string().describe('As the request named it.'),
    results: z.array(
      z.looseObject({
        flagged: z.boolean().describe('Whether any category applies.'),
        categories: z.record(z.string(), z.boolean()),
        category_scores: z.record(z.string(), z.number()),
        category_applied_input_types: z.record(z.string(), z.array(z.string())).optional(),
      }),
    ),
    usage: z.looseObject({
      prompt_tokens: z.int(),
      total_tokens: z.int(),
      cost: usdNumber.describe('The charge in USD.'),
    }),
    svc: chatCharge,
  })
  .meta({ id: 'ModerationReply' })
