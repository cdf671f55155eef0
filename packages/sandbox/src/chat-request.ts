import { isSchema, schemaOf, textsOf } from './merge-schemas.ts'
import { SandboxError } from './sandbox-error.ts'

/** Something attached to a message that is not text. */
export interface Attachment {
  readonly kind: 'image' | 'audio' | 'file' | 'video'
  /** How the answer names it: a media type with its size, or the last part of its address. */
  readonly label: string
  readonly isLowDetail: boolean
}

export interface ChatMessage {
  readonly role: string
  readonly text: string
  readonly attachments: readonly Attachment[]
  /** For results of tools: the call that is answered. */
  readonly toolCallId: string | null
  /** Calls that an assistant's message made: id to name. */
  readonly calls: ReadonlyMap<string, string>
}

export interface OfferedTool {
  readonly name: string
  readonly parameters: unknown
}

export type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string }

export type AnswerFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'object' }
  | { readonly kind: 'schema'; readonly schema: unknown }

/** A chat request as the sandbox understands it; what it does not know is ignored, as upstreams do. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly isStreamed: boolean
  readonly tools: readonly OfferedTool[]
  readonly toolChoice: ToolChoice
  readonly mayCallInParallel: boolean
  readonly format: AnswerFormat
  /** Null when the request sets no limit. */
  readonly maxTokens: number | null
  readonly stop: readonly string[]
  readonly choices: number
  /** How many alternatives each token names; null for no log probabilities. */
  readonly topLogprobs: number | null
  readonly wantsReasoning: boolean
  /** False where `modalities` names others alone. */
  readonly takesImages: boolean
  /** Null when the request names no seed. */
  readonly seed: string | null
  /** What counts as the prompt: every text of the messages, and the JSON of tools and schema. */
  readonly promptText: string
}

/** Source: the OpenAI API reference, "Create chat completion" (`n`, `top_logprobs`). */
const CHOICES_MAX = 128
const TOP_LOGPROBS_MAX = 20

/**
 * Reads the body of a chat request.
 * @throws {SandboxError} 400 for what an upstream would refuse.
 */
export function parseChatRequest(body: string): ChatRequest {
  const value = parseJson(body)
  if (typeof value['model'] !== 'string') throw invalid('model: expected a string')
  refuseOddFields(value)
  const messages = value['messages']
  if (!Array.isArray(messages) || messages.length === 0) throw invalid('messages: expected a list that is not empty')
  const parsed = messages.map(parseMessage)
  const tools = parseTools(value['tools'])
  const format = parseFormat(value['response_format'])
  return {
    model: value['model'],
    messages: parsed,
    isStreamed: value['stream'] === true,
    ...chooseTools(tools, value['tool_choice']),
    mayCallInParallel: value['parallel_tool_calls'] !== false,
    format,
    maxTokens: countAt(value, 'max_completion_tokens') ?? countAt(value, 'max_tokens'),
    stop: typeof value['stop'] === 'string' ? [value['stop']].filter(Boolean) : textsOf(value['stop']).filter(Boolean),
    choices: Math.min(countAt(value, 'n') ?? 1, CHOICES_MAX),
    topLogprobs:
      value['logprobs'] === true ? Math.min(Number(value['top_logprobs'] ?? 0) || 0, TOP_LOGPROBS_MAX) : null,
    wantsReasoning: wantsReasoning(value),
    takesImages: !Array.isArray(value['modalities']) || value['modalities'].includes('image'),
    seed: typeof value['seed'] === 'number' ? String(value['seed']) : null,
    promptText: promptTextOf(parsed, tools, format),
  }
}

/** What upstreams expect in fields that are passed on to them. Source: as above. */
const types: Readonly<Record<string, 'number' | 'string' | 'boolean'>> = {
  ...{ temperature: 'number', top_p: 'number', top_k: 'number', frequency_penalty: 'number' },
  ...{ presence_penalty: 'number', seed: 'number', top_logprobs: 'number', logprobs: 'boolean' },
  ...{ parallel_tool_calls: 'boolean', reasoning_effort: 'string', verbosity: 'string' },
}

/** @throws {SandboxError} 400. */
function refuseOddFields(value: Readonly<Record<string, unknown>>): void {
  for (const [name, type] of Object.entries(types)) {
    const given = value[name] ?? null
    if (given !== null && typeof given !== type) throw invalid(`${name}: expected a ${type}`)
  }
}

function invalid(message: string): SandboxError {
  return new SandboxError(400, 'invalid_request', message)
}

function parseJson(body: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (cause) {
    throw Object.assign(invalid('The body is not JSON.'), { cause })
  }
  if (!isSchema(value)) throw invalid('The body is not an object.')
  return value
}

function countAt(value: Readonly<Record<string, unknown>>, key: string): number | null {
  const count = value[key]
  if (count === undefined || count === null) return null
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1)
    throw invalid(`${key}: expected a whole number of at least 1`)
  return count
}

function wantsReasoning(value: Readonly<Record<string, unknown>>): boolean {
  const reasoning = schemaOf(value['reasoning'])
  const effort = reasoning['effort'] ?? value['reasoning_effort']
  if (effort === 'none' || reasoning['enabled'] === false || reasoning['exclude'] === true) return false
  return typeof effort === 'string' || reasoning['enabled'] === true || typeof reasoning['max_tokens'] === 'number'
}

function parseMessage(value: unknown): ChatMessage {
  const message = schemaOf(value)
  if (typeof message['role'] !== 'string') throw invalid('messages: expected a role in each')
  const parts = Array.isArray(message['content']) ? message['content'].map(schemaOf) : []
  const text =
    typeof message['content'] === 'string'
      ? message['content']
      : parts
          .map((part) => textOfPart(part))
          .filter(Boolean)
          .join('\n')
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].map(schemaOf) : []
  return {
    role: message['role'],
    text,
    attachments: parts.map(attachmentOf).filter((attachment) => attachment !== null),
    toolCallId: typeof message['tool_call_id'] === 'string' ? message['tool_call_id'] : null,
    calls: new Map(calls.map((call) => [String(call['id']), String(schemaOf(call['function'])['name'])])),
  }
}

function textOfPart(part: Readonly<Record<string, unknown>>): string {
  return typeof part['text'] === 'string' ? part['text'] : ''
}

function attachmentOf(part: Readonly<Record<string, unknown>>): Attachment | null {
  switch (part['type']) {
    case 'image_url': {
      const image = typeof part['image_url'] === 'string' ? { url: part['image_url'] } : schemaOf(part['image_url'])
      return { kind: 'image', label: labelOf(image['url']), isLowDetail: image['detail'] === 'low' }
    }
    case 'input_audio': {
      const audio = schemaOf(part['input_audio'])
      return { kind: 'audio', label: firstText(audio['format']), isLowDetail: false }
    }
    case 'file': {
      const file = schemaOf(part['file'])
      return { kind: 'file', label: firstText(file['filename'], file['file_id']), isLowDetail: false }
    }
    case 'video_url':
      return { kind: 'video', label: labelOf(schemaOf(part['video_url'])['url']), isLowDetail: false }
    default:
      return null
  }
}

function firstText(...values: readonly unknown[]): string {
  return (values.find((value) => typeof value === 'string') ?? 'unnamed').slice(0, 80)
}

/** Names an address without ever opening it. */
function labelOf(url: unknown): string {
  if (typeof url !== 'string') return 'unnamed'
  const inline = /^data:([\w.+/-]{1,60});base64,/.exec(url)
  if (inline !== null) return `${inline[1]}, ${Math.floor(((url.length - inline[0].length) * 3) / 4)} bytes`
  const path = url.slice(0, 2_000).split(/[?#]/)[0] ?? ''
  return (path.split('/').filter(Boolean).at(-1) ?? 'unnamed').slice(0, 80)
}

function parseTools(value: unknown): OfferedTool[] {
  if (!Array.isArray(value)) return []
  const functions = value.map((tool) => schemaOf(schemaOf(tool)['function']))
  return functions.flatMap((tool) =>
    typeof tool['name'] === 'string' ? [{ name: tool['name'], parameters: tool['parameters'] }] : [],
  )
}

function chooseTools(tools: readonly OfferedTool[], value: unknown): Pick<ChatRequest, 'tools' | 'toolChoice'> {
  if (tools.length === 0) return { tools, toolChoice: 'none' }
  if (value === 'none' || value === 'required') return { tools, toolChoice: value }
  const choice = schemaOf(value)
  const named = schemaOf(choice['function'])['name']
  if (typeof named === 'string') {
    if (!tools.some(({ name }) => name === named)) throw invalid(`tool_choice: no tool is called ${named.slice(0, 64)}`)
    return { tools, toolChoice: { name: named } }
  }
  const allowed = schemaOf(choice['allowed_tools'])
  if (!Array.isArray(allowed['tools'])) return { tools, toolChoice: 'auto' }
  const names = new Set(allowed['tools'].map((tool) => schemaOf(schemaOf(tool)['function'])['name']))
  const left = tools.filter(({ name }) => names.has(name))
  return { tools: left, toolChoice: left.length === 0 ? 'none' : allowed['mode'] === 'required' ? 'required' : 'auto' }
}

function parseFormat(value: unknown): AnswerFormat {
  const format = schemaOf(value)
  if (format['type'] === 'json_object') return { kind: 'object' }
  if (format['type'] === 'json_schema')
    return { kind: 'schema', schema: schemaOf(format['json_schema'])['schema'] ?? {} }
  return { kind: 'text' }
}

function promptTextOf(messages: readonly ChatMessage[], tools: readonly OfferedTool[], format: AnswerFormat): string {
  const texts = messages.map(({ role, text }) => `${role}\n${text}`)
  for (const tool of tools) texts.push(JSON.stringify(tool))
  if (format.kind === 'schema') texts.push(JSON.stringify(format.schema))
  return texts.join('\n')
}
