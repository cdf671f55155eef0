/** Chat requests in the form of Google's Gemini API. Source: Gemini API reference, `models.generateContent`, v1beta. */
import { ownMember } from '@svc/contract'
import type { UpstreamChatRequest } from '../chat-upstream.ts'
import {
  type LinkPiece,
  type MediaPiece,
  type Piece,
  readConversation,
  type ResultPiece,
  type SealedPiece,
  type TextPiece,
  type Turn,
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
import { GEMINI_FORMAT } from './gemini-format.ts'

/** Replaces a signature that the client has not kept. Source: Gemini API, "Thought signatures". */
const NO_SIGNATURE = 'skip_thought_signature_validator'
/** Models that want no signature and take budgets for thinking in place of levels. */
const BUDGET_MODELS = /^gemini-(?:1|2)\b/

const isSealed = (piece: Piece): piece is SealedPiece => piece.kind === 'sealed' && piece.format === GEMINI_FORMAT

function writeContent(piece: TextPiece | MediaPiece | LinkPiece): Json {
  if (piece.kind === 'text') return { text: piece.text }
  if (piece.kind === 'media') return { inlineData: { mimeType: piece.mediaType, data: piece.data } }
  throw unsupported(piece.param, 'This model takes no addresses: give a data URL.')
}

/** What a result without a text says. */
const SEE_BELOW = 'The result is behind the results.'

function writeResult({ id, name, content }: ResultPiece): Json {
  const texts = content.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []))
  const output = texts.length === 0 && content.length > 0 ? SEE_BELOW : texts.join('')
  return { functionResponse: { id, name, response: { output } } }
}

/** Puts images and the like of results behind the results of their turn: to every model a result is a text. */
function withMedia(pieces: readonly Piece[]): readonly Piece[] {
  const results = pieces.filter((piece) => piece.kind === 'result')
  const media = results.flatMap(({ content }) => content.filter(({ kind }) => kind !== 'text'))
  if (media.length === 0) return pieces
  const end = pieces.findLastIndex(({ kind }) => kind === 'result') + 1
  return [...pieces.slice(0, end), ...media, ...pieces.slice(end)]
}

/** Gives each signature back to the part that it came with: a call by its id, else the text. */
function writeParts({ role, pieces }: Turn, wantsSignatures: boolean): readonly Json[] {
  const sealed = pieces.filter(isSealed)
  const ofCalls = new Map(sealed.flatMap(({ id, data }) => (id === null ? [] : [[id, data] as const])))
  let ofText = sealed.find(({ id }) => id === null)?.data
  let isFirstCall = true
  return withMedia(pieces).flatMap((piece): readonly Json[] => {
    if (piece.kind === 'thought' || piece.kind === 'sealed') return []
    if (piece.kind === 'result') return [writeResult(piece)]
    if (piece.kind === 'call') {
      const { id, name, input } = piece
      const needed = isFirstCall && wantsSignatures ? NO_SIGNATURE : undefined
      isFirstCall = false
      return [{ functionCall: { id, name, args: input }, ...present({ thoughtSignature: ofCalls.get(id) ?? needed }) }]
    }
    const signature = role === 'assistant' ? ofText : undefined
    if (role === 'assistant') ofText = undefined
    return [{ ...writeContent(piece), ...present({ thoughtSignature: signature }) }]
  })
}

function writeContents(turns: readonly Turn[], wantsSignatures: boolean): readonly Json[] {
  const written = writeTurns(turns, (turn) => writeParts(turn, wantsSignatures))
  return written.map(({ role, parts }) => ({ role: role === 'assistant' ? 'model' : 'user', parts }))
}

function writeToolChoice(choice: ToolChoice | null): Json | null {
  if (choice === null) return null
  const config =
    typeof choice === 'object'
      ? { mode: 'ANY', allowedFunctionNames: [choice.name] }
      : { mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[choice] }
  return { functionCallingConfig: config }
}

function writeTools(value: Json): Json {
  const { tools, choice } = readToolUse(value)
  if (value['parallel_tool_calls'] === false && tools.length > 0) {
    throw unsupported('parallel_tool_calls', 'This model cannot be kept from parallel calls.')
  }
  if (tools.length === 0) return {}
  const functionDeclarations = tools.map(({ name, description, parameters }) =>
    present({ name, description, parametersJsonSchema: parameters }),
  )
  return { tools: [{ functionDeclarations }], ...present({ toolConfig: writeToolChoice(choice) }) }
}

/** Tokens to think for. Source: Gemini API, "OpenAI compatibility". */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
}

function writeThinking(wish: ReasoningWish | null, model: string): Json | null {
  if (wish === null) return null
  if (wish.isOff) return { thinkingBudget: 0 }
  const { effort, budget, isHidden } = wish
  const shown = { includeThoughts: !isHidden }
  if (budget !== null) return { thinkingBudget: budget, ...shown }
  if (effort === null) return shown
  if (BUDGET_MODELS.test(model)) return { thinkingBudget: ownMember(budgets, effort), ...shown }
  return { thinkingLevel: effort === 'xhigh' || effort === 'max' ? 'high' : effort, ...shown }
}

function writeFormat(value: Json): Json {
  const format = readFormat(value)
  if (format === null) return {}
  const schema = format.kind === 'schema' ? { responseJsonSchema: format.schema } : {}
  return { responseMimeType: 'application/json', ...schema }
}

function writeConfig(request: UpstreamChatRequest): Json {
  const { value } = request.body
  const stops = readStops(value)
  return present({
    maxOutputTokens: outputLimit(request),
    temperature: value['temperature'],
    topP: value['top_p'],
    topK: value['top_k'],
    seed: value['seed'],
    presencePenalty: value['presence_penalty'],
    frequencyPenalty: value['frequency_penalty'],
    stopSequences: stops.length === 0 ? null : stops,
    thinkingConfig: writeThinking(readReasoning(value), request.upstreamModel),
    ...writeFormat(value),
  })
}

/**
 * Writes the body of a call.
 * @throws {ServiceError} 400 for what the API cannot do.
 */
export function writeGeminiBody(request: UpstreamChatRequest): Buffer {
  return Buffer.from(JSON.stringify(bodyOf(request)))
}

/**
 * Writes the body of a call that counts the prompt. Source: Gemini API reference, "models.countTokens".
 * @throws {ServiceError} 400 for what the API cannot do.
 */
export function writeGeminiCount(request: UpstreamChatRequest): Buffer {
  const model = `models/${request.upstreamModel}`
  return Buffer.from(JSON.stringify({ generateContentRequest: { model, ...bodyOf(request) } }))
}

function bodyOf(request: UpstreamChatRequest): Json {
  const { value } = request.body
  refuseUnknown(value, ['presence_penalty', 'frequency_penalty'])
  const { system, turns } = readConversation(value['messages'])
  const wantsSignatures = !BUDGET_MODELS.test(request.upstreamModel)
  return {
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system.map(writeContent) } }),
    contents: writeContents(turns, wantsSignatures),
    ...writeTools(value),
    generationConfig: writeConfig(request),
  }
}
