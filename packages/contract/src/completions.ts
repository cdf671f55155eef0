import { z } from 'zod'
import {
  CHOICES_MAX,
  chatCharge,
  chatUsage,
  MODEL_CHARACTERS_MAX,
  STOP_MAX,
  tokenLimit,
  USER_CHARACTERS_MAX,
} from './chat.ts'

/** Most prompts in one request. Source: own choice; LangChain sends twenty at a time. */
export const PROMPTS_MAX = 32
/** Output tokens of a request that names no limit. Source: OpenAI's API reference, "Create completion". */
export const COMPLETION_TOKENS_DEFAULT = 16
/** Most alternatives of each token that are shown. Source: as `top_logprobs` of a chat. */
const LOGPROBS_MAX = 20

/**
 * The body of a text completion, in OpenAI's older form. Null in an optional field is the same as its absence. Fields
 * that are not listed go to the upstream, as those of a chat do.
 */
export const completionRequest = z.looseObject({
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX).describe('A model id or a featured alias.'),
  prompt: z
    .union([z.string(), z.array(z.string()).min(1).max(PROMPTS_MAX)])
    .describe(`A text, or at most ${PROMPTS_MAX} texts. Each is answered by itself.`),
  stream: z.boolean().nullish(),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish().describe('Asks for a last event that carries `usage`.') })
    .nullish(),
  max_tokens: tokenLimit.describe(
    `Most output tokens of each choice, those of reasoning included; ${COMPLETION_TOKENS_DEFAULT} where none is named.`,
  ),
  n: z.int().min(1).max(CHOICES_MAX).nullish().describe('Choices for each prompt.'),
  best_of: z.int().min(1).max(CHOICES_MAX).nullish().describe('Taken where it asks for no more than `n`.'),
  echo: z.boolean().nullish().describe('Puts the prompt before each text.'),
  logprobs: z
    .union([z.boolean(), z.int().min(0).max(LOGPROBS_MAX)])
    .nullish()
    .describe('How many alternatives of each token are shown. Not with `echo`.'),
  suffix: z
    .string()
    .nullish()
    .describe('The text after the one that is made, for models whose upstream fills in between two; 400 elsewhere.'),
  stop: z.union([z.string(), z.array(z.string()).max(STOP_MAX)]).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  seed: z.number().nullish(),
  user: z.string().max(USER_CHARACTERS_MAX).nullish(),
})

export type CompletionRequest = z.output<typeof completionRequest>

const logprobs = z.looseObject({
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number().nullable()),
  top_logprobs: z.array(z.record(z.string(), z.number())).nullable(),
  text_offset: z.array(z.int()).describe('Where each token begins in `text`, in characters.'),
})

const completion = z.looseObject({
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int().describe('Seconds since the epoch.'),
  model: z.string().describe('As the request named it.'),
  choices: z.array(
    z.looseObject({
      index: z.int().describe('The choices of the first prompt come first.'),
      text: z.string(),
      finish_reason: z.string().nullable().describe('stop, length or content_filter.'),
      logprobs: logprobs.nullable(),
      reasoning: z.string().optional().describe('What the model shows of its reasoning.'),
    }),
  ),
})

/** The answer to a text completion that does not stream. */
export const completionReply = completion.extend({ usage: chatUsage, svc: chatCharge }).meta({ id: 'Completion' })

/** One event of a streamed text completion; the last carries `svc`. */
export const completionChunk = completion
  .extend({
    usage: chatUsage.nullish().describe('On the last event, where `stream_options.include_usage` asks for it.'),
    svc: chatCharge.optional().describe('On the last event: the charge.'),
  })
  .meta({ id: 'CompletionChunk' })
