import { z } from 'zod'
import { chatCharge, MESSAGES_MAX, MODEL_CHARACTERS_MAX } from './chat.ts'
import { usdNumber } from './money-schema.ts'

/** Most tools of a request in this form, those included that wait until a search names them. Source: own choice. */
const MESSAGE_TOOLS_MAX = 1_024

const block = z.looseObject({ type: z.string().max(64) }).meta({
  id: 'MessageBlock',
  description:
    'text, image (base64 or url), document (base64 PDF or text), tool_use, tool_result, thinking, redacted_thinking.',
})

const content = z.union([z.string(), z.array(block)])

/**
 * The body of a request in the form of Anthropic's Messages API. Fields that are not listed are ignored, or refused
 * where they would change price, route or conversation. Source: decisions 0037 and 0127.
 */
export const messageRequest = z.looseObject({
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX).describe('A model id or a featured alias.'),
  max_tokens: z.int().min(1),
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content }))
    .min(1)
    .max(MESSAGES_MAX),
  system: content.nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.number().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  tools: z
    .array(z.looseObject({ name: z.string(), type: z.string().nullish() }))
    .max(MESSAGE_TOOLS_MAX)
    .nullish()
    .describe(
      'Tools that you run yourself, by a schema or by a type such as `bash_20250124`. One with `defer_loading` is ' +
        'offered once a `tool_reference` names it.',
    ),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).nullish(),
  thinking: z
    .looseObject({ type: z.enum(['enabled', 'disabled', 'adaptive']), budget_tokens: z.int().min(1).nullish() })
    .nullish()
    .describe('A budget becomes an effort: low up to 4,096 tokens, medium up to 16,384, high above.'),
  output_config: z.looseObject({ effort: z.string().nullish(), format: z.looseObject({}).nullish() }).nullish(),
  output_format: z.looseObject({}).nullish().describe('The older place of `output_config.format`.'),
  cache_control: z.looseObject({}).nullish(),
  context_management: z
    .looseObject({ edits: z.array(z.looseObject({ type: z.string() })).nullish() })
    .nullish()
    .describe('Edits that keep all thinking are taken, as they change nothing; others are refused.'),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
  service_tier: z.enum(['auto', 'standard_only']).nullish(),
})

/** The body of a question how many tokens a message has: a request without a limit, whose other fields do not count. */
export const messageCountRequest = messageRequest.extend({ max_tokens: z.int().min(1).nullish() })

export type MessageCountRequest = z.output<typeof messageCountRequest>

/** The answer to it. */
export const messageCountReply = z
  .looseObject({
    input_tokens: z.int(),
    svc: z.object({ estimated: z.boolean().describe('False where the model’s own provider has counted.') }),
  })
  .meta({ id: 'MessageCount' })

export type MessageRequest = z.output<typeof messageRequest>

const usage = z.looseObject({
  input_tokens: z.int().describe('Without those read from or written to a cache.'),
  output_tokens: z.int(),
  cache_read_input_tokens: z.int().optional(),
  cache_creation_input_tokens: z.int().optional(),
  cost: usdNumber.optional().describe('The charge in US dollars.'),
})

const message = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string().describe('As the request named it.'),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable().describe('end_turn, stop_sequence, max_tokens, tool_use or refusal.'),
  stop_sequence: z
    .string()
    .nullable()
    .describe('The sequence of the request that ended it, where the upstream says which one; else end_turn is said.'),
  usage,
})

/** The answer to a request in the Messages form. */
export const messageReply = message.extend({ svc: chatCharge }).meta({ id: 'Message' })

/** One event of a streamed answer. */
export const messageEvent = z
  .looseObject({
    type: z.string(),
    message: message.optional(),
    usage: usage.optional().describe('On message_delta.'),
    svc: chatCharge.optional().describe('On message_delta and message_stop: the charge.'),
  })
  .meta({ id: 'MessageEvent' })
