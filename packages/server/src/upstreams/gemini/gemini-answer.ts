/** Answers, chunks and errors of Google's Gemini API, in OpenAI's shape: the two have the same form there. */
import { ownMember } from '@svc/contract'
import { randomUUID } from 'node:crypto'
import { parseExactly } from '../../platform/json/exact-json.ts'
import { parseAnswerJson, parseJsonText } from '../../platform/json/parse-json.ts'
import { chunkOf, count, REFUSED, wireUsage } from '../native/native-speech.ts'
import { type Json, present } from '../native/request-fields.ts'
import type { WireFrames } from '../openai-compatible/chat-wire.ts'
import { retryDelay } from '../openai-compatible/errors.ts'
import { isObject, tokens } from '../openai-compatible/usage.ts'
import { GEMINI_FORMAT } from './gemini-format.ts'

/** Every other reason means that the model itself failed. */
const finishReasons: Readonly<Record<string, string>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
}

/** Thoughts are counted apart from the candidates; what the cache gave is a part of the prompt. */
function readUsage(usage: Json): Json {
  const thoughts = count(usage['thoughtsTokenCount'])
  const asked = tokens(usage['promptTokenCount'])
  const prompt = asked === null ? null : asked + count(usage['toolUsePromptTokenCount'])
  const candidates = tokens(usage['candidatesTokenCount']) ?? candidatesIn(usage, prompt, thoughts)
  return wireUsage({
    promptTokens: prompt,
    completionTokens: candidates === null ? null : candidates + thoughts,
    cachedTokens: count(usage['cachedContentTokenCount']),
    cacheWriteTokens: 0,
    reasoningTokens: thoughts,
    // What the cache gave has a price of its own, and no audio is counted twice.
    audioInputTokens: tokensIn(usage['promptTokensDetails'], 'AUDIO') - tokensIn(usage['cacheTokensDetails'], 'AUDIO'),
    audioOutputTokens: tokensIn(usage['candidatesTokensDetails'], 'AUDIO'),
    imageOutputTokens: tokensIn(usage['candidatesTokensDetails'], 'IMAGE'),
  })
}

/**
 * What the total says of candidates that were not counted: a count of nothing is left out. Null where it does not say.
 */
function candidatesIn({ totalTokenCount }: Json, prompt: number | null, thoughts: number): number | null {
  const total = tokens(totalTokenCount)
  return total === null || prompt === null || total < prompt + thoughts ? null : total - prompt - thoughts
}

/** So much of an error is looked at, in UTF-16 units. Source: own choice; its sentences are at its beginning. */
const ERROR_LENGTH_MAX = 16_384

/** Bad requests that are more than that: our key, our account, or a prompt that is too long. */
function wordOf(error: Json): string | undefined {
  const text = JSON.stringify([error['message'], error['details'] ?? null]).slice(0, ERROR_LENGTH_MAX)
  if (/API_KEY_INVALID|API key (?:not valid|expired)/i.test(text)) return 'invalid_api_key'
  if (error['status'] === 'FAILED_PRECONDITION') return 'payment_required'
  if (/token count /i.test(text) && /exceeds the maximum/i.test(text)) return 'context_length_exceeded'
  return undefined
}

/** An error in OpenAI's shape; null when the value is none. */
export function readGeminiError(value: Json): Json | null {
  const { error } = value
  if (!isObject(error)) return null
  const { code, message, status } = error
  const retry_after = retryDelay(error)
  return { error: present({ message, code: wordOf(error), type: status, http_status: code, retry_after }) }
}

/** Tokens of one kind among those of one side. Source: Gemini API reference, "ModalityTokenCount". */
function tokensIn(details: unknown, kind: 'AUDIO' | 'IMAGE'): number {
  const all = Array.isArray(details) ? details.filter(isObject) : []
  return all.reduce((sum, { modality, tokenCount }) => sum + (modality === kind ? count(tokenCount) : 0), 0)
}

interface Said {
  readonly speech: Record<string, unknown>
  readonly isEmpty: boolean
}

/** Reads the candidates of an answer, whose chunks have the form of the whole. One for each answer. */
class GeminiReader {
  #calls = 0
  #images = 0
  #hasSaid = false

  get hasSaid(): boolean {
    return this.#hasSaid
  }

  get hasCalled(): boolean {
    return this.#calls > 0
  }

  /** What parts say together. */
  speech(parts: readonly Json[]): Said {
    let content = ''
    let reasoning = ''
    const calls: Json[] = []
    const images: Json[] = []
    const details: Json[] = []
    for (const part of parts) {
      const { text, thought, functionCall: called, inlineData: data, thoughtSignature } = part
      let callId: string | null = null
      if (typeof text === 'string' && thought === true) {
        reasoning += text
        details.push({ type: 'reasoning.text', text, format: GEMINI_FORMAT, index: 0 })
      } else if (typeof text === 'string') content += text
      if (isObject(called)) {
        callId = typeof called['id'] === 'string' ? called['id'] : `call_${randomUUID().replaceAll('-', '')}`
        calls.push(callOf(called, callId, this.#calls++))
      }
      const image = isObject(data) ? imageOf(data, this.#images) : null
      if (image !== null) {
        images.push(image)
        this.#images += 1
      }
      if (typeof thoughtSignature === 'string') details.push(sealedOf(thoughtSignature, callId))
    }
    const isEmpty = content === '' && reasoning === '' && calls.length + images.length + details.length === 0
    this.#hasSaid ||= !isEmpty
    const speech = {
      ...(content === '' ? {} : { content }),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(images.length === 0 ? {} : { images }),
    }
    return { speech, isEmpty }
  }
}

function callOf({ name, args }: Json, id: string, index: number): Json {
  return { index, id, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } }
}

/** Null for data that is none. */
function imageOf({ mimeType, data }: Json, index: number): Json | null {
  if (typeof mimeType !== 'string' || typeof data !== 'string') return null
  return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` }, index }
}

function sealedOf(data: string, id: string | null): Json {
  return { type: 'reasoning.encrypted', data, ...present({ id }), format: GEMINI_FORMAT, index: 0 }
}

/** What one candidate says, and how it ended. */
interface ReadCandidate extends Said {
  /** Null while it goes on, undefined when the model failed. */
  readonly finishReason: string | null | undefined
}

function readCandidate(candidate: Json, reader: GeminiReader): ReadCandidate {
  const { content, finishReason: reason } = candidate
  const parts = isObject(content) && Array.isArray(content['parts']) ? content['parts'].filter(isObject) : []
  const said = reader.speech(parts)
  if (typeof reason !== 'string' || reason === 'FINISH_REASON_UNSPECIFIED') return { ...said, finishReason: null }
  const finishReason = ownMember(finishReasons, reason)
  return { ...said, finishReason: finishReason === 'stop' && reader.hasCalled ? 'tool_calls' : finishReason }
}

interface ReadResponse extends Partial<ReadCandidate> {
  /** In place of an answer; null when there is none. */
  readonly error: Json | null
  readonly more: Json
}

const FAILED = { error: { message: 'The model failed to answer.', http_status: 502 } } as const

function readResponse(value: Json, reader: GeminiReader): ReadResponse {
  const usage = isObject(value['usageMetadata']) ? readUsage(value['usageMetadata']) : null
  const more = present({ model: value['modelVersion'], usage })
  const error = readGeminiError(value)
  if (error !== null) return { error, more }
  const feedback = value['promptFeedback']
  if (isObject(feedback) && typeof feedback['blockReason'] === 'string') return { error: REFUSED, more }
  const [candidate] = Array.isArray(value['candidates']) ? value['candidates'].filter(isObject) : []
  if (candidate === undefined) return { error: null, more }
  const read = readCandidate(candidate, reader)
  if (read.finishReason === undefined) return { error: FAILED, more }
  if (read.finishReason === 'content_filter' && !reader.hasSaid) return { error: REFUSED, more }
  return { ...read, error: null, more }
}

/**
 * One response of a list: a stream that is not asked for as events comes so, and the errors of one. Source: Gemini API
 * reference, "models.streamGenerateContent".
 */
function joinResponses(list: readonly Json[]): Json {
  const candidates = list.flatMap(({ candidates: some }) =>
    Array.isArray(some) ? some.filter(isObject).slice(0, 1) : [],
  )
  const contents = candidates.flatMap(({ content }) => (isObject(content) ? [content] : []))
  const parts = contents.flatMap(({ parts: some }) => (Array.isArray(some) ? (some as unknown[]) : []))
  const joined = { ...Object.assign({}, ...candidates), content: { ...contents[0], parts } }
  return { ...Object.assign({}, ...list), ...(candidates.length === 0 ? {} : { candidates: [joined] }) }
}

/** Reads an answer; undefined when it is no JSON, and without choices when it is no answer. */
export function readGeminiAnswer(text: Buffer): unknown {
  const value = parseJsonText(text, parseExactly)
  const response = Array.isArray(value) && value.every(isObject) ? joinResponses(value) : value
  if (!isObject(response)) return response
  const { error, more, speech, finishReason } = readResponse(response, new GeminiReader())
  if (error !== null) return { ...more, ...error }
  if (speech === undefined) return more
  const calls = Array.isArray(speech['tool_calls']) ? speech['tool_calls'].filter(isObject) : null
  const message = { role: 'assistant', content: null, ...speech, ...present({ tool_calls: calls?.map(withoutIndex) }) }
  return { ...more, choices: [{ index: 0, message, finish_reason: finishReason ?? 'stop' }] }
}

function withoutIndex({ index: _index, ...call }: Json): Json {
  return call
}

/** @returns what reads the events of one stream. */
export function openGeminiEvents(): (data: string) => WireFrames {
  const reader = new GeminiReader()
  let hasBegun = false
  return (data) => {
    const value: unknown = parseAnswerJson(data, data.includes('"functionCall"') ? parseExactly : JSON.parse)
    if (!isObject(value)) return []
    const { error, more, speech, finishReason = null } = readResponse(value, reader)
    if (error !== null) return [{ ...more, ...error }]
    if (speech === undefined) return [{ choices: [], ...more }]
    const delta = hasBegun ? speech : { role: 'assistant', content: '', ...speech }
    hasBegun = true
    return [chunkOf(delta, finishReason, more)]
  }
}
