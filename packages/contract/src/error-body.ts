import { z } from 'zod'
import { creditsNumber } from './money-schema.ts'

/**
 * Extra fields of a 402, inside `error`, where the OpenAI clients keep them. Source: spec 7, decision 0010 (the body of
 * errors).
 */
const shortageFields = {
  credits_required: creditsNumber.describe('402: what the request may cost at most.'),
  credits_available: creditsNumber.describe('402: what the limit that refused has left.'),
  credits_short: creditsNumber.describe('402: required less available.'),
  affordable_max_tokens: z.int().optional().describe('402 of a chat: the largest max_tokens that would pass, or 0.'),
  affordable_tokens: z
    .int()
    .optional()
    .describe('402 of embeddings, rankings and moderations: how many tokens would pass, or 0.'),
  affordable_images: z.int().optional().describe('402 of images: how many would pass, or 0.'),
  affordable_seconds: z.int().optional().describe('402 of a video or a recording: how long a one would pass, or 0.'),
  affordable_characters: z.int().optional().describe('402 of speech: how long a text would pass, or 0.'),
  limit: z.enum(['account', 'team', 'key']).describe('402: which limit refused.'),
  topup_url: z
    .string()
    .describe('402: the page where what was lacking is given: credits, or a larger budget of the key or the team.'),
}

/** What a 402 says inside `error`, beside the four fields that every error has. */
export const shortage = z.object(shortageFields)

export type Shortage = z.output<typeof shortage>

/** What a request that is refused for its maximum or its quote says inside `error`. Source: decisions 0149 and 0150. */
const boundFields = {
  credits_required: creditsNumber.describe(
    '402: what the request may cost at most. `max_credits_exceeded`: the least that would do. `quote_mismatch`: what ' +
      'the request can cost.',
  ),
  credits_as_asked: creditsNumber.describe('`max_credits_exceeded`: what the request can cost as it was asked.'),
  credits_at_most: creditsNumber.describe('What `x-svc-max-credits` allows, or the quote covers.'),
}

/** The body of every answer that is not a success. */
export const errorBody = z
  .object({
    error: z.looseObject({
      message: z.string().describe('For people; may change.'),
      type: z.string().describe('The class of the error.'),
      param: z.string().nullable().describe('Path of the request field at fault.'),
      code: z.string().meta({
        // OpenRouter's clients alone read a number there. Source: decision 0129.
        type: ['string', 'integer'],
        description:
          'For programs; see the list of codes. Clients of OpenRouter find the status here, and the code in ' +
          '`metadata.code`.',
      }),
      ...shortage.partial().shape,
      ...z.object(boundFields).partial().shape,
    }),
  })
  .meta({ id: 'Error' })

export type ErrorBody = z.output<typeof errorBody>
