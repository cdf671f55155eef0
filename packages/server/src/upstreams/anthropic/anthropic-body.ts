/** Chat requests in the form of Anthropic's Messages API. Source: Anthropic's API reference, "Create a message". */
import { ownMember } from '@svc/contract'
import type { UpstreamChatRequest } from '../chat-upstream.ts'
import {
  type Conversation,
  type LinkPiece,
  type MediaPiece,
  type Piece,
  readConversation,
  type TextPiece,
  writeTurns,
} from '../native/conversation.ts'
import {
  type Json,
  outputLimit,
  present,
  readFormat,
  readReasoning,
  readStops,
  readToolUse,
  type ReasoningWish,
  refuseUnknown,
  type ToolChoice,
  unsupported,
} from '../native/request-fields.ts'
import { offersFunctions } from '../openai-compatible/function-call.ts'
import { isObject } from '../openai-compatible/usage.ts'
import { ANTHROPIC_FORMAT } from './anthropic-format.ts'

/** A limit that every model can take, for a request that names none and a model whose own is not known. */
const OUTPUT_TOKENS_FALLBACK = 4_096
/** Least budget of thinking. Source: Anthropic's API reference, extended thinking. */
const BUDGET_TOKENS_MIN = 1_024

/** A cached prefix lives five minutes, or an hour where that is asked for. */
function cacheMember(cacheControl: unknown): Json {
  if (cacheControl === null || cacheControl === undefined) return {}
  const isLong = isObject(cacheControl) && cacheControl['ttl'] === '1h'
  return { cache_control: { type: 'ephemeral', ...(isLong ? { ttl: '1h' } : {}) } }
}

function writeMedia({ mediaType, data, title, cacheControl }: MediaPiece): Json {
  const isImage = mediaType.startsWith('image/')
  if (!isImage && mediaType !== 'application/pdf') {
    throw unsupported('messages', `This model reads images and PDF, not ${mediaType.slice(0, 64)}.`)
  }
  const source = { type: 'base64', media_type: mediaType, data }
  const named = isImage || typeof title !== 'string' ? {} : { title }
  return { type: isImage ? 'image' : 'document', source, ...named, ...cacheMember(cacheControl) }
}

function writeContent(piece: TextPiece | MediaPiece | LinkPiece): Json {
  if (piece.kind === 'media') return writeMedia(piece)
  const cache = cacheMember(piece.cacheControl)
  if (piece.kind === 'text') return { type: 'text', text: piece.text, ...cache }
  return { type: 'image', source: { type: 'url', url: piece.url }, ...cache }
}

/** Ids of other models may have characters that this API refuses. */
function callId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_')
}

function writePiece(piece: Piece): readonly Json[] {
  switch (piece.kind) {
    case 'call': {
      const { id, name, input, cacheControl } = piece
      return [{ type: 'tool_use', id: callId(id), name, input, ...cacheMember(cacheControl) }]
    }
    case 'result': {
      const content = piece.content.map(writeContent)
      return [{ type: 'tool_result', tool_use_id: callId(piece.id), content, ...cacheMember(piece.cacheControl) }]
    }
    case 'thought': {
      // Without its signature, or with another model's, it cannot be read again.
      const { signature, format, text } = piece
      if (signature === null || format !== ANTHROPIC_FORMAT) return []
      return [{ type: 'thinking', thinking: text, signature }]
    }
    case 'sealed':
      return piece.format === ANTHROPIC_FORMAT ? [{ type: 'redacted_thinking', data: piece.data }] : []
    default:
      return [writeContent(piece)]
  }
}

const THINKING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

/** The last message may not end with thinking: the API refuses to go on from there. */
function writeMessages({ turns }: Conversation): readonly Json[] {
  const written = writeTurns(turns, ({ pieces }) => pieces.flatMap(writePiece))
  const messages = written.map(({ role, parts }) => ({ role, content: parts }))
  const last = messages.at(-1)
  if (last === undefined || !THINKING.has(last.content.at(-1)?.['type'])) return messages
  const content = last.content.slice(0, last.content.findLastIndex(({ type }) => !THINKING.has(type)) + 1)
  return [...messages.slice(0, -1), ...(content.length === 0 ? [] : [{ role: last.role, content }])]
}

function writeToolChoice(choice: ToolChoice | null, isSingle: boolean): Json | null {
  if (choice === 'none') return { type: 'none' }
  if (choice === null && !isSingle) return null
  const single = isSingle ? { disable_parallel_tool_use: true } : {}
  if (typeof choice === 'object' && choice !== null) return { type: 'tool', name: choice.name, ...single }
  return { type: choice === 'required' ? 'any' : 'auto', ...single }
}

function writeTools(value: Json, isSingle: boolean): Json {
  const { tools, choice } = readToolUse(value)
  if (tools.length === 0) return {}
  return present({
    tools: tools.map(({ name, description, parameters, strict, cacheControl }) => ({
      ...present({ name, description, strict }),
      input_schema: parameters ?? { type: 'object', properties: {} },
      ...cacheMember(cacheControl),
    })),
    tool_choice: writeToolChoice(choice, isSingle),
  })
}

/** Models that know budgets alone; later ones choose by themselves, and get how much effort to make. */
const BUDGET_MODELS = /^claude-(?:2|3|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)/

/** The part of the limit that an effort may think for. Source: own choice, as routers have it. */
const shares: Readonly<Record<string, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
}

function writeThinking(wish: ReasoningWish | null, model: string, limit: number): Json {
  if (wish === null) return {}
  if (wish.isOff) return { thinking: { type: 'disabled' } }
  const { effort, budget } = wish
  if (budget !== null) {
    if (budget >= limit) throw unsupported('reasoning.max_tokens', 'It must be less than the limit on the output.')
    const tokens = Math.max(budget, BUDGET_TOKENS_MIN)
    return { thinking: { type: 'enabled', budget_tokens: tokens } }
  }
  if (!BUDGET_MODELS.test(model)) return writeEffort(effort)
  const tokens = Math.max(Math.floor(limit * (ownMember(shares, effort ?? 'medium') ?? 0.5)), BUDGET_TOKENS_MIN)
  // An effort is a wish, a limit is none: where there is no room, the answer comes without.
  return tokens < limit ? { thinking: { type: 'enabled', budget_tokens: tokens } } : {}
}

function writeEffort(effort: string | null): Json {
  const thinking = { type: 'adaptive' }
  if (effort === null) return { thinking }
  return { thinking, output_config: { effort: effort === 'minimal' ? 'low' : effort } }
}

function writeFormat(value: Json): Json {
  const format = readFormat(value)
  if (format === null) return {}
  if (format.kind === 'object') throw unsupported('response_format', 'Give a json_schema in its place.')
  return { format: { type: 'json_schema', schema: format.schema } }
}

/**
 * Writes the body of a call.
 * @throws {ServiceError} 400 for what the API cannot do.
 */
export function writeAnthropicBody(request: UpstreamChatRequest): Buffer {
  return Buffer.from(JSON.stringify(bodyOf(request)))
}

/** Fields that count. Source: Anthropic's API reference, "Count tokens in a message". */
const COUNTED = ['model', 'system', 'messages', 'tools', 'tool_choice', 'thinking'] as const

/**
 * Writes the body of a call that counts the prompt.
 * @throws {ServiceError} 400 for what the API cannot do.
 */
export function writeAnthropicCount(request: UpstreamChatRequest): Buffer {
  const body = bodyOf(request)
  return Buffer.from(JSON.stringify(Object.fromEntries(COUNTED.map((name) => [name, body[name]]))))
}

function bodyOf(request: UpstreamChatRequest): Json {
  const { value } = request.body
  refuseUnknown(value, [])
  const conversation = readConversation(value['messages'])
  const limit = outputLimit(request) ?? request.outputTokens ?? OUTPUT_TOKENS_FALLBACK
  const stops = readStops(value)
  const { output_config: effort, ...thinking } = writeThinking(readReasoning(value), request.upstreamModel, limit)
  const config = { ...(typeof effort === 'object' ? effort : {}), ...writeFormat(value) }
  return present({
    model: request.upstreamModel,
    max_tokens: limit,
    stream: request.stream,
    system: conversation.system.length === 0 ? null : conversation.system.map(writeContent),
    messages: writeMessages(conversation),
    temperature: value['temperature'],
    top_p: value['top_p'],
    top_k: value['top_k'],
    stop_sequences: stops.length === 0 ? null : stops,
    metadata: typeof value['user'] === 'string' ? { user_id: value['user'] } : null,
    output_config: Object.keys(config).length === 0 ? null : config,
    ...cacheMember(value['cache_control']),
    ...writeTools(value, value['parallel_tool_calls'] === false || offersFunctions(request)),
    ...thinking,
  })
}
