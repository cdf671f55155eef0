import { z } from 'zod'
import { chargeState } from './charge-state.ts'
import { creditsNumber, usdNumber } from './money-schema.ts'

/**
 * Most messages in one chat request, or items in one of another form: what a client sent is counted, and not what it
 * becomes. Far more than agents have. Source: decision 0012 (limits of a request).
 */
export const MESSAGES_MAX = 10_000
/** Most parts in the content of one message. */
export const MESSAGE_PARTS_MAX = 10_000
/** Most parts in all messages of one chat request together. */
export const REQUEST_PARTS_MAX = 20_000
/** Most tools in one chat request. */
export const TOOLS_MAX = 128
/** Most stop sequences in one chat request. */
export const STOP_MAX = 4
/** Most choices of one chat request. Source: OpenAI, `n`. */
export const CHOICES_MAX = 128
/** Most characters of `user`. */
export const USER_CHARACTERS_MAX = 256
/** Most characters of a model id. */
export const MODEL_CHARACTERS_MAX = 256

const METADATA_PAIRS_MAX = 16
const METADATA_KEY_CHARACTERS_MAX = 64
const METADATA_VALUE_CHARACTERS_MAX = 512

export const chatRoles = ['developer', 'system', 'user', 'assistant', 'tool', 'function'] as const
export type ChatRole = (typeof chatRoles)[number]

/** A part of a message: text, an image, audio, a file. Only `type` is checked here; the rest goes on as it came. */
const contentPart = z.looseObject({ type: z.string().min(1).max(64) }).meta({
  id: 'ContentPart',
  description:
    'By `type`: text (`text`), image_url (`image_url.url`, an https or data URL), ' +
    'input_audio (`input_audio.data`, `.format`), ' +
    'file (`file.filename`, `file.file_data`), and what the model understands beside these.',
})

// The string comes first: the union tries its members in order, and nearly every content is a string.
const content = z.union([z.string(), z.array(contentPart).max(MESSAGE_PARTS_MAX), z.null()])

/** What may replace the content of a message that has none. */
const contentStandIns = [
  'tool_calls',
  'function_call',
  'refusal',
  'audio',
  'images',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
] as const

const chatMessage = z
  .looseObject({ role: z.enum(chatRoles), content: content.optional() })
  .superRefine((message, context) => {
    if (message.content !== null && message.content !== undefined) return
    const excused = message.role === 'assistant' && contentStandIns.some((name) => (message[name] ?? null) !== null)
    if (excused || message.role === 'function') return
    context.addIssue({
      code: 'custom',
      path: ['content'],
      message: 'A message without tool calls needs content: a string or an array of parts.',
    })
  })
  .meta({ id: 'ChatMessage' })

export type ChatMessage = z.output<typeof chatMessage>

/**
 * A limit on output tokens. Not `z.int()`: a client that asks for more than 2^53 tokens means "as many as there are", and
 * gets that.
 */
export const tokenLimit = z
  .number()
  .min(1)
  .refine(Number.isInteger, { message: 'Expected a whole number.' })
  .meta({ type: 'integer' })
  .nullish()

const metadata = z
  .record(z.string(), z.unknown())
  .superRefine((pairs, context) => {
    const entries = Object.entries(pairs)
    if (entries.length > METADATA_PAIRS_MAX) {
      context.addIssue({ code: 'custom', message: `At most ${METADATA_PAIRS_MAX} pairs are allowed.` })
    }
    for (const [key, value] of entries) {
      if (key.length <= METADATA_KEY_CHARACTERS_MAX && isShortValue(value)) continue
      context.addIssue({
        code: 'custom',
        path: [key.slice(0, METADATA_KEY_CHARACTERS_MAX)],
        message:
          `Keys have at most ${METADATA_KEY_CHARACTERS_MAX} characters, ` +
          `values are strings of at most ${METADATA_VALUE_CHARACTERS_MAX}.`,
      })
    }
  })
  .meta({
    additionalProperties: { type: 'string', maxLength: METADATA_VALUE_CHARACTERS_MAX },
    maxProperties: METADATA_PAIRS_MAX,
  })

function isShortValue(value: unknown): boolean {
  return typeof value === 'string' && value.length <= METADATA_VALUE_CHARACTERS_MAX
}

/**
 * The body of a chat request, as far as the gateway reads it: it checks the fields that it needs and the sizes that it
 * limits.
 *
 * Everything else goes to the upstream byte for byte, unchecked. Null in an optional field is the same as its absence.
 */
export const chatRequest = z.looseObject({
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX).describe('A model id or a featured alias.'),
  messages: z.array(chatMessage).min(1).max(MESSAGES_MAX),
  stream: z.boolean().nullish(),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish().describe('Asks for a last event that carries `usage`.') })
    .nullish(),
  max_tokens: tokenLimit.describe("Most output tokens. Lowered to the model's own maximum."),
  max_completion_tokens: tokenLimit.describe('The same, and wins where both are given.'),
  n: z.int().min(1).max(CHOICES_MAX).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(STOP_MAX)]).nullish(),
  tools: z.array(z.looseObject({})).max(TOOLS_MAX).nullish(),
  metadata: metadata.nullish(),
  user: z.string().max(USER_CHARACTERS_MAX).nullish(),
})

export type ChatRequest = z.output<typeof chatRequest>

/** A chat that was made of a request in another form: one item there can be several messages here. */
export const translatedChatRequest = chatRequest.extend({ messages: z.array(chatMessage).min(1) })

/**
 * The charge annotation of a billed chat answer. Source: spec 2.8; `max_tokens_applied` from decision 0007 (no output
 * limit asked).
 */
export const chatCharge = z
  .looseObject({
    credits_charged: creditsNumber.describe('Credits deducted for this request.'),
    margin_bps: z.int().describe('Margin in basis points.'),
    estimated: z
      .boolean()
      .optional()
      .describe('Present and true when the upstream reported no usage and it was counted here.'),
    max_tokens_applied: z
      .int()
      .optional()
      .describe('Output limit that the gateway set, since the balance pays for no more and the request named none.'),
    state: chargeState,
  })
  .meta({ id: 'Charge' })

export type ChatChargeBody = z.output<typeof chatCharge>

/** Tokens of a chat answer. `cached_tokens` is part of `prompt_tokens`, `reasoning_tokens` of `completion_tokens`. */
export const chatUsage = z
  .looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.looseObject({ cached_tokens: z.int().optional() }).nullish(),
    completion_tokens_details: z.looseObject({ reasoning_tokens: z.int().optional() }).nullish(),
    cost: usdNumber.optional().describe('The charge in US dollars.'),
  })
  .meta({ id: 'ChatUsage' })

const toolCall = z.looseObject({
  id: z.string(),
  type: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
})

const replyMessage = z.looseObject({
  role: z.string(),
  content: z.string().nullable(),
  refusal: z.string().nullish(),
  tool_calls: z.array(toolCall).nullish(),
  reasoning_content: z.string().nullish(),
  reasoning_details: z.array(z.unknown()).nullish(),
})

/** Beside `finish_reason`, where the upstream says it. */
const stopReason = z.string().optional().describe('The `stop` sequence that ended it, where that is known.')

const finishReason = z.string().nullable().describe('stop, length, tool_calls, content_filter or function_call.')

/** The answer to a chat request that does not stream. */
export const chatReply = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int().describe('Seconds since the epoch.'),
    model: z.string().describe('As the request named it.'),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        message: replyMessage,
        finish_reason: finishReason,
        stop_reason: stopReason,
        logprobs: z.unknown().optional(),
      }),
    ),
    usage: chatUsage.optional(),
    svc: chatCharge,
  })
  .meta({ id: 'ChatReply' })

export type ChatReply = z.output<typeof chatReply>

const toolCallDelta = z.looseObject({
  index: z.int(),
  id: z.string().optional(),
  type: z.string().optional(),
  function: z.looseObject({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
})

const delta = z.looseObject({
  role: z.string().optional(),
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(toolCallDelta).nullish(),
  reasoning_content: z.string().nullish(),
})

/** One event of a streamed chat answer. Exactly one carries `svc`: the last before `[DONE]`. */
export const chatChunk = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        delta,
        finish_reason: finishReason,
        stop_reason: stopReason,
        logprobs: z.unknown().optional(),
      }),
    ),
    usage: chatUsage.nullish().describe('On the last chunk, whose choices are empty, when include_usage was asked.'),
    svc: chatCharge.optional(),
  })
  .meta({ id: 'ChatChunk' })

export type ChatChunk = z.output<typeof chatChunk>
