import { z } from 'zod'
import { chatCharge, MODEL_CHARACTERS_MAX, USER_CHARACTERS_MAX } from './chat.ts'
import { usdNumber } from './money-schema.ts'

/** Most texts in one request for embeddings. Source: OpenAI, `input`. */
export const EMBEDDING_INPUTS_MAX = 2_048
/** Most token ids in one request, over all its inputs. Source: OpenAI, `input`. */
export const EMBEDDING_TOKENS_MAX = 300_000
/** Most dimensions that can be asked for. Source: own choice, above every known model. */
export const EMBEDDING_DIMENSIONS_MAX = 65_536

/** One check of each: there may be as many as a request may have. */
const tokenIds = z.array(z.uint32())

/** One text or several, each as text or as token ids of the model's own tokenizer. */
const embeddingInput = z
  // A length is compared before each item is: what cannot be texts is not read as texts.
  .union([z.string(), z.array(z.string()).max(EMBEDDING_INPUTS_MAX), tokenIds, z.array(tokenIds)])
  .superRefine((input, context) => {
    if (typeof input === 'string') return
    // A plain list of numbers is one text.
    const isOneText = typeof input[0] === 'number'
    if (!isOneText && input.length > EMBEDDING_INPUTS_MAX) {
      context.addIssue({ code: 'custom', message: `expected at most ${EMBEDDING_INPUTS_MAX} items.` })
    }
    const tokens = input.reduce<number>((sum, item) => sum + (Array.isArray(item) ? item.length : 1), 0)
    if ((isOneText || Array.isArray(input[0])) && tokens > EMBEDDING_TOKENS_MAX) {
      context.addIssue({ code: 'custom', message: `expected at most ${EMBEDDING_TOKENS_MAX} token ids.` })
    }
  })

/** The body of a request for embeddings. Fields that are not listed go to the upstream unchanged. */
export const embeddingRequest = z.looseObject({
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX).describe('A model id.'),
  input: embeddingInput.describe(
    `A text, at most ${EMBEDDING_INPUTS_MAX} texts, the token ids of a text, or those of several.`,
  ),
  encoding_format: z
    .enum(['float', 'base64'])
    .nullish()
    .describe('`base64` is the little-endian bytes of 32-bit floats; the OpenAI libraries ask for it by themselves.'),
  dimensions: z
    .int()
    .min(1)
    .max(EMBEDDING_DIMENSIONS_MAX)
    .nullish()
    .describe('Length of the vectors, for models that can shorten theirs.'),
  user: z.string().max(USER_CHARACTERS_MAX).nullish(),
})

export type EmbeddingRequest = z.output<typeof embeddingRequest>

/** The vectors, in the order of the inputs. */
export const embeddingReply = z
  .looseObject({
    object: z.literal('list'),
    data: z.array(
      z.looseObject({
        object: z.literal('embedding'),
        index: z.int().min(0),
        embedding: z.union([z.array(z.number()), z.string()]).describe('Numbers, or their bytes as base64.'),
      }),
    ),
    model: z.string(),
    usage: z.looseObject({
      prompt_tokens: z.int(),
      total_tokens: z.int(),
      cost: usdNumber.describe('The charge in USD.'),
    }),
    svc: chatCharge,
  })
  .meta({ id: 'EmbeddingReply' })

export type EmbeddingReply = z.output<typeof embeddingReply>
