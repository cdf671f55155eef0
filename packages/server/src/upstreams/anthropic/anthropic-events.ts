/** Streams of Anthropic's Messages API, in OpenAI's shape. Source: Anthropic's API reference, "Streaming messages". */
import { parseExactly } from '../../platform/json/exact-json.ts'
import { parseAnswerJson } from '../../platform/json/parse-json.ts'
import { chunkOf, REFUSED, wireUsage } from '../native/native-speech.ts'
import { type Json, present } from '../native/request-fields.ts'
import { DONE, type WireFrames } from '../openai-compatible/chat-wire.ts'
import { recordOf } from '../openai-compatible/json-records.ts'
import { isObject, tokens } from '../openai-compatible/usage.ts'
import { placeMember } from '../thought-place.ts'
import { finishReasonOf, readAnthropicError, readAnthropicUsage, stopMemberOf } from './anthropic-answer.ts'
import { ANTHROPIC_FORMAT } from './anthropic-format.ts'

interface OpenCall {
  /** Among the calls of the answer. */
  readonly index: number
  /** What its block began with, as JSON: some servers send it whole, and no pieces of it. */
  readonly input: string
  hasArguments: boolean
}

/** Reads one stream. */
export class AnthropicEvents {
  /** By the index of their block. */
  readonly #calls = new Map<unknown, OpenCall>()
  /** As it was reported so far: pieces of it come at the start and at the end, each count as of then. */
  readonly #usage: Record<string, unknown> = {}
  #hasBlocks = false
  #textLength = 0
  /** Where the thought stands that has begun, until its first detail has said so. */
  #place: Json = {}

  /** @throws {SyntaxError | JsonLimitError} when the data is no JSON, or has too much structure. */
  read(data: string): WireFrames {
    const event = parseAnswerJson(data)
    if (!isObject(event)) return []
    const error = readAnthropicError(event)
    if (error !== null) return [error]
    switch (event['type']) {
      case 'message_start':
        return this.#start(event)
      case 'content_block_start':
        return this.#open(event, data)
      case 'content_block_delta':
        return this.#delta(event)
      case 'content_block_stop':
        return this.#close(event)
      case 'message_delta':
        return this.#finish(event)
      case 'message_stop':
        return [DONE]
      default:
        return []
    }
  }

  #addUsage(usage: unknown): Json | null {
    if (!isObject(usage)) return null
    for (const [name, value] of Object.entries(usage)) {
      const isCount = tokens(value) !== null && (value !== 0 || name === 'output_tokens')
      if (isCount || isObject(value) || this.#usage[name] === undefined) this.#usage[name] = value
    }
    const counts = readAnthropicUsage(this.#usage)
    // Without a count of its own an event says nothing of the output that came since the last.
    return wireUsage(tokens(usage['output_tokens']) === null ? { ...counts, completionTokens: null } : counts)
  }

  #start({ message }: Json): WireFrames {
    const { model, usage } = isObject(message) ? message : {}
    return [chunkOf({ role: 'assistant', content: '' }, null, { model, usage: this.#addUsage(usage) })]
  }

  #open({ index, content_block: block }: Json, data: string): WireFrames {
    if (!isObject(block)) return []
    this.#hasBlocks = true
    const { type, id, name, data: sealed, text, thinking, signature } = block
    if (type === 'tool_use') {
      const call = { index: this.#calls.size, input: inputIn(block, data), hasArguments: false }
      this.#calls.set(index, call)
      const named = { index: call.index, id, type: 'function', function: { name, arguments: '' } }
      return [chunkOf({ tool_calls: [named] })]
    }
    this.#place = placeMember({ text: this.#textLength, calls: this.#calls.size })
    if (type === 'redacted_thinking') return [this.#detail(index, { type: 'reasoning.encrypted', data: sealed })]
    // A block may begin with something in it already.
    if (typeof text === 'string' && text !== '') return [this.#said(text)]
    return [
      ...(typeof thinking === 'string' && thinking !== '' ? [this.#thought(index, thinking)] : []),
      ...(typeof signature === 'string' && signature !== '' ? [this.#signature(index, signature)] : []),
    ]
  }

  #said(text: unknown): Record<string, unknown> {
    this.#textLength += typeof text === 'string' ? text.length : 0
    return chunkOf({ content: text })
  }

  #thought(index: unknown, text: string): Record<string, unknown> {
    return this.#detail(index, { type: 'reasoning.text', text }, { reasoning_content: text })
  }

  #signature(index: unknown, signature: unknown): Record<string, unknown> {
    return this.#detail(index, { type: 'reasoning.text', signature })
  }

  /** The place is said once, since clients join the pieces of a thought by their members. */
  #detail(index: unknown, detail: Json, more: Json = {}): Record<string, unknown> {
    const place = this.#place
    this.#place = {}
    return chunkOf({ ...more, reasoning_details: [{ ...detail, format: ANTHROPIC_FORMAT, index, ...place }] })
  }

  #delta({ index, delta }: Json): WireFrames {
    if (!isObject(delta)) return []
    const { type, text, thinking, signature, partial_json: json } = delta
    if (type === 'text_delta') return [this.#said(text)]
    if (type === 'thinking_delta' && typeof thinking === 'string') return [this.#thought(index, thinking)]
    if (type === 'signature_delta') return [this.#signature(index, signature)]
    const call = this.#calls.get(index)
    if (type !== 'input_json_delta' || call === undefined || typeof json !== 'string' || json === '') return []
    call.hasArguments = true
    return [argumentsChunk(call, json)]
  }

  /** A call of which no pieces came has what it began with, if only an empty object: clients want JSON. */
  #close({ index }: Json): WireFrames {
    const call = this.#calls.get(index)
    return call === undefined || call.hasArguments ? [] : [argumentsChunk(call, call.input)]
  }

  #finish({ delta, usage }: Json): WireFrames {
    const reported = this.#addUsage(usage)
    const finishReason = finishReasonOf(isObject(delta) ? delta['stop_reason'] : null)
    if (finishReason === 'content_filter' && !this.#hasBlocks) return [{ ...REFUSED, ...present({ usage: reported }) }]
    if (finishReason === null) return reported === null ? [] : [{ choices: [], usage: reported }]
    const choice = { index: 0, delta: {}, finish_reason: finishReason, ...(isObject(delta) ? stopMemberOf(delta) : {}) }
    return [{ choices: [choice], ...present({ usage: reported }) }]
  }
}

/** The input that a block begins with, with every digit as it came. @param data the event that it was read from. */
function inputIn({ input }: Json, data: string): string {
  if (!isObject(input) || Object.keys(input).length === 0) return '{}'
  return JSON.stringify(recordOf(recordOf(parseExactly(data))['content_block'])['input'])
}

function argumentsChunk({ index }: OpenCall, json: string): Record<string, unknown> {
  return chunkOf({ tool_calls: [{ index, function: { arguments: json } }] })
}
