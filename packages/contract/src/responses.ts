import { z } from 'zod'
import { chatCharge, MESSAGES_MAX, MODEL_CHARACTERS_MAX, tokenLimit, TOOLS_MAX, USER_CHARACTERS_MAX } from './chat.ts'
import { usdNumber } from './money-schema.ts'
import { wholeNumber } from './whole-number.ts'

const inputItem = z.looseObject({ type: z.string().max(64).optional(), role: z.string().max(64).optional() }).meta({
  id: 'ResponseInputItem',
  description:
    'A message (`role`, `content` of input_text, input_image by URL, input_file by its data, input_audio, ' +
    'output_text, refusal), a call of a tool or its output (`function_call`, `custom_tool_call`, ' +
    '`tool_search_call` …), additional_tools, a reasoning item, or an item_reference to an item of an answer of ' +
    'the last day.',
})

const format = z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) })

/**
 * The body of a request in the form of OpenAI's Responses API, as far as it can be answered without
 * keeping what was asked.
 *
 * Null in an optional field is the same as its absence. A field that is not listed is forwarded where a chat has it,
 * and else ignored, unless the answer would be another, or dearer, one without it. Source: decisions 0036 and 0121.
 */
export const responseRequest = z.looseObject({
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX).describe('A model id or a featured alias.'),
  input: z.union([z.string(), z.array(inputItem).min(1).max(MESSAGES_MAX)]),
  instructions: z.string().nullish().describe('Goes before the input as a system message.'),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({}).nullish().describe('`include_obfuscation` is taken and has no effect.'),
  max_output_tokens: tokenLimit,
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z
    .array(z.looseObject({ type: z.string() }))
    .max(TOOLS_MAX)
    .nullish()
    .describe(
      'Tools that you run yourself: `function`, `custom`, `namespace` with such tools, `tool_search` with ' +
        '`execution: "client"`, `local_shell`, `shell` without a container, `apply_patch`, ' +
        '`computer`. Others are left out.',
    ),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: format.nullish(), verbosity: z.string().nullish() }).nullish(),
  reasoning: z
    .looseObject({ effort: z.string().nullish(), summary: z.string().nullish() })
    .nullish()
    .describe('`summary` is taken: what a model shows of its reasoning is always in the answer.'),
  include: z
    .array(z.string())
    .max(16)
    .nullish()
    .describe('`message.output_text.logprobs`; others are taken and have no effect.'),
  metadata: z.looseObject({}).nullish(),
  user: z.string().max(USER_CHARACTERS_MAX).nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.string().nullish(),
  service_tier: z.string().nullish(),
  store: z
    .boolean()
    .nullish()
    .describe(
      'Has an effect where the team of the key has switched storing on; the answer says whether it is stored. ' +
        'Unless it is false, the items of the answer can be referred to for a day.',
    ),
  previous_response_id: z
    .string()
    .max(128)
    .nullish()
    .describe('Goes on from a response that the team of the key has stored.'),
  background: z.literal(false).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  max_tool_calls: z
    .int()
    .min(1)
    .nullish()
    .describe('Limits tools that a provider runs. None is run here, so that it always holds.'),
  client_metadata: z.looseObject({}).nullish().describe('Taken, and has no effect.'),
})

export type ResponseRequest = z.output<typeof responseRequest>

const responseUsage = z.looseObject({
  input_tokens: z.int(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
  cost: usdNumber.optional().describe('The charge in US dollars.'),
})

const outputItem = z.looseObject({
  type: z.enum([
    ...(['message', 'reasoning', 'function_call', 'custom_tool_call', 'tool_search_call'] as const),
    ...(['local_shell_call', 'shell_call', 'apply_patch_call', 'computer_call', 'image_generation_call'] as const),
  ]),
  id: z.string(),
})

/** What an item of an answer can be. */
export type OutputItemType = z.output<typeof outputItem>['type']

const response = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int().describe('Seconds since the epoch.'),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  model: z.string().describe('As the request named it.'),
  output: z.array(outputItem),
  usage: responseUsage.nullish(),
})

export const responsePath = z.object({ response_id: z.string().min(1).max(128) })

/** Items that one answer lists at most, and how many unasked. Source: OpenAI, `input_items`. */
const INPUT_ITEMS_MAX = 100
const INPUT_ITEMS_DEFAULT = 20

export const inputItemsQuery = z.object({
  limit: wholeNumber({ min: 1, max: INPUT_ITEMS_MAX }).prefault(INPUT_ITEMS_DEFAULT),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z
    .string()
    .regex(/^item_[0-9a-f]{32}_\d{1,5}$/, 'expected the id of an item.')
    .optional()
    .describe('Id of the last item of the page before.'),
})

/** The items of a request whose response is stored. */
export const inputItemList = z
  .object({
    object: z.literal('list'),
    data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ResponseInputItemList' })

/** Says that a stored response is gone. */
export const deletedResponse = z
  .object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })
  .meta({ id: 'DeletedResponse' })

/** The answer to a question how many tokens a request has. */
export const responseCountReply = z
  .looseObject({
    object: z.literal('response.input_tokens'),
    input_tokens: z.int(),
    svc: z.object({ estimated: z.boolean().describe('False where the model’s own provider has counted.') }),
  })
  .meta({ id: 'ResponseCount' })

/** The answer to a request in the Responses form. */
export const responseReply = response.extend({ svc: chatCharge }).meta({ id: 'Response' })

/**
 * One event of a streamed answer. The last, response.completed or response.incomplete, carries `svc` twice;
 * of an answer that failed it is response.failed, without it.
 */
export const responseEvent = z
  .looseObject({
    type: z.string(),
    sequence_number: z.int(),
    response: response.extend({ svc: chatCharge.optional() }).optional(),
    svc: chatCharge.optional().describe('On the last event: the charge.'),
  })
  .meta({ id: 'ResponseEvent' })
