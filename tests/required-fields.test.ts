/**
 * Fields that the official schemas require of every answer and event: clients in strict languages fail where one is
 * missing. Source: openai/openai-openapi of 2026-11, Anthropic's API reference; the required fields alone.
 */
import { beforeEach, expect, test } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { eventsIn } from './events-of.ts'
import { PAID_KINDS, paidRoutes, usePaidStub } from './paid-kinds.ts'

const CHUNK = ['id', 'created', 'model', 'choices[].index', 'choices[].finish_reason']
const RESPONSE = [
  ...['id', 'object', 'created_at', 'status', 'error', 'incomplete_details', 'instructions', 'metadata', 'model'],
  ...['output', 'parallel_tool_calls', 'temperature', 'tool_choice', 'tools', 'top_p'],
  // Of OpenRouter's schema.
  ...['completed_at', 'frequency_penalty', 'presence_penalty'],
]
const RESPONSE_USAGE = [
  ...['usage.input_tokens', 'usage.input_tokens_details.cached_tokens', 'usage.output_tokens'],
  ...['usage.output_tokens_details.reasoning_tokens', 'usage.total_tokens'],
]
const OUTPUT = ['output[].type', 'output[].id', 'output[].status']
const CHAT_USAGE = ['usage.prompt_tokens', 'usage.completion_tokens', 'usage.total_tokens']
const IMAGE_USAGE = [
  ...['usage.input_tokens', 'usage.output_tokens', 'usage.total_tokens'],
  ...['usage.input_tokens_details.text_tokens', 'usage.input_tokens_details.image_tokens'],
]
const IMAGE = ['b64_json', 'created_at', 'size', 'quality', 'background', 'output_format']
const MESSAGE = ['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence']
const MESSAGE_USAGE = ['usage.input_tokens', 'usage.output_tokens']
const within = (name: string, fields: readonly string[]): string[] => fields.map((field) => `${name}.${field}`)
const item = ['output_index', 'sequence_number']
const part = ['item_id', 'output_index', 'content_index', 'sequence_number']
const tokens = ['usage.input_tokens', 'usage.output_tokens', 'usage.total_tokens']
const RANKING = ['results[].index', 'results[].relevance_score']

/** By the type of an event or the kind of object; of other answers by the name of their kind. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  'chat.completion': [
    ...CHUNK,
    ...['choices[].logprobs', 'choices[].message.role', 'choices[].message.content', 'choices[].message.refusal'],
    ...CHAT_USAGE,
  ],
  'chat.completion.chunk': [...CHUNK, 'choices[].delta'],
  text_completion: [...CHUNK, 'choices[].text', 'choices[].logprobs'],
  response: [...RESPONSE, ...RESPONSE_USAGE, ...OUTPUT],
  'response.created': ['sequence_number', ...within('response', RESPONSE)],
  'response.in_progress': ['sequence_number', ...within('response', RESPONSE)],
  'response.completed': ['sequence_number', ...within('response', [...RESPONSE, ...RESPONSE_USAGE, ...OUTPUT])],
  'response.output_item.added': [...item, 'item.type', 'item.id', 'item.status'],
  'response.output_item.done': [...item, 'item.type', 'item.id', 'item.status'],
  'response.content_part.added': [...part, 'part.type', 'part.text', 'part.annotations', 'part.logprobs'],
  'response.content_part.done': [...part, 'part.type', 'part.text', 'part.annotations', 'part.logprobs'],
  'response.output_text.delta': [...part, 'delta', 'logprobs'],
  'response.output_text.done': [...part, 'text', 'logprobs'],
  message: [...MESSAGE, ...MESSAGE_USAGE, 'content[].type'],
  message_start: [...within('message', [...MESSAGE, ...MESSAGE_USAGE])],
  content_block_start: ['index', 'content_block.type'],
  content_block_delta: ['index', 'delta.type'],
  content_block_stop: ['index'],
  message_delta: ['delta.stop_reason', 'delta.stop_sequence', 'usage.output_tokens'],
  message_stop: [],
  ping: [],
  list: ['model', 'data[].object', 'data[].index', 'data[].embedding', 'usage.prompt_tokens', 'usage.total_tokens'],
  'image_generation.partial_image': [...IMAGE, 'partial_image_index'],
  'image_generation.completed': [...IMAGE, ...IMAGE_USAGE],
  'image_edit.partial_image': [...IMAGE, 'partial_image_index'],
  'image_edit.completed': [...IMAGE, ...IMAGE_USAGE],
  'speech.audio.delta': ['audio'],
  'speech.audio.done': tokens,
  'transcript.text.delta': ['delta'],
  'transcript.text.segment': ['id', 'start', 'end', 'text'],
  'transcript.text.done': ['text', 'usage.type', ...tokens],
  video: [
    ...['id', 'model', 'status', 'progress', 'created_at', 'completed_at', 'expires_at', 'prompt', 'size', 'seconds'],
    // `error` is there only where a job failed: clients of other APIs take its mere presence for a failure.
    'remixed_from_video_id',
  ],
  'a moderation': ['id', 'model', 'results[].flagged', 'results[].categories', 'results[].category_scores'],
  'a ranking': RANKING,
  "a ranking in Cohere's second form": RANKING,
  images: ['created', 'data[].b64_json'],
  'changed images': ['created', 'data[].b64_json'],
  transcripts: ['text', 'usage.type'],
  translations: ['text'],
}

const upstream = usePaidStub()
const gateway = useGateway(() => {
  const target = { name: 'first', kind: 'openai-compatible', url: upstream.url, reports_cost: true } as const
  return {
    credits: '1000000',
    file: { upstreams: [target, { ...target, name: 'second' }], routes: paidRoutes() },
  }
})
beforeEach(() => upstream.reset())

/** The paths of a list that an object does not have. */
function missingIn(value: unknown, paths: readonly string[]): string[] {
  return paths.filter((path) => !has(value, path.split('.')))
}

function has(value: unknown, [first = '', ...rest]: readonly string[]): boolean {
  if (first === '') return true
  const name = first.replace(/\[\]$/, '')
  if (typeof value !== 'object' || value === null || !(name in value)) return false
  const found: unknown = Reflect.get(value, name)
  if (!first.endsWith('[]')) return has(found, rest)
  return Array.isArray(found) && found.every((each) => has(each, rest))
}

function objectsIn(text: string): Record<string, unknown>[] {
  const events = text.startsWith('{') ? [text] : eventsIn(text.replaceAll(/^event: .*\n/gm, ''))
  return events.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data) as Record<string, unknown>)
}

const isText = (text: string): boolean => text.startsWith('{') || /^(?:event|data): /m.test(text)

test.each(PAID_KINDS)('$name has every field that its schema requires', async (kind) => {
  const { status, text } = await kind.ask(gateway, {})
  expect([status, text.slice(0, 300)]).toEqual([200, expect.any(String)])
  if (!isText(text)) return
  // Anthropic leaves them out where there are none; @ai-sdk/anthropic 3 takes no null.
  expect(text).not.toContain('"citations":null')
  const lacks = objectsIn(text).flatMap((object) => {
    const name = kind.name in REQUIRED ? kind.name : String(object['type'] ?? object['object'])
    const required = REQUIRED[name]
    return required === undefined
      ? [`${name} is not in the table`]
      : missingIn(object, required).map((path) => `${name}: ${path}`)
  })
  expect([...new Set(lacks)]).toEqual([])
})
