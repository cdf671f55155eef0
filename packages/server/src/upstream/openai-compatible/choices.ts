/**
 * The parts of answers and chunks that clients know. Everything else an upstream says about itself (provider, timings,
 * its own finish reasons and accounting) is left out, so that it can be exchanged without any client noticing.
 */
import type { ChunkFacts } from '../chat-upstream.ts'
import { isObject } from './usage.ts'

type Json = Record<string, unknown>

const SPEECH_KEYS = [
  'role',
  'content',
  'refusal',
  'tool_calls',
  'function_call',
  'annotations',
  'audio',
  'images',
  'reasoning_content',
  'reasoning_details',
] as const

const REASONING_NAMES = ['reasoning_content', 'reasoning'] as const

/** Keeps what clients know of a message or delta; reasoning text goes by one name only. */
export function cleanSpeech(speech: Json): Json {
  const clean: Json = {}
  for (const key of SPEECH_KEYS) if (speech[key] !== undefined) clean[key] = speech[key]
  if (typeof clean['reasoning_content'] !== 'string') {
    delete clean['reasoning_content']
    if (typeof speech['reasoning'] === 'string') clean['reasoning_content'] = speech['reasoning']
  }
  return clean
}

function textBytes(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0
}

function toolBytes(calls: unknown): number {
  if (!Array.isArray(calls)) return 0
  let bytes = 0
  for (const call of calls) {
    const named = isObject(call) && isObject(call['function']) ? call['function'] : null
    if (named !== null) bytes += textBytes(named['name']) + textBytes(named['arguments'])
  }
  return bytes
}

function contentBytes(content: unknown): number {
  if (!Array.isArray(content)) return textBytes(content)
  let bytes = 0
  for (const part of content) bytes += isObject(part) ? textBytes(part['text']) : 0
  return bytes
}

function reasoningText(speech: Json): unknown {
  for (const name of REASONING_NAMES) if (typeof speech[name] === 'string' && speech[name] !== '') return speech[name]
  return null
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return typeof value === 'string' ? value !== '' : isObject(value)
}

const CONTENT_KEYS = ['content', 'refusal', 'tool_calls', 'function_call', 'audio', 'images'] as const

/** Says how much a message or delta carries. */
export function measureSpeech(speech: Json): Omit<ChunkFacts, 'finishReason'> {
  const reasoning = reasoningText(speech)
  const call = isObject(speech['function_call']) ? speech['function_call'] : null
  return {
    outputBytes:
      contentBytes(speech['content']) +
      textBytes(speech['refusal']) +
      textBytes(reasoning) +
      toolBytes(speech['tool_calls']) +
      textBytes(call?.['arguments']),
    hasContent: CONTENT_KEYS.some((key) => isFilled(speech[key])),
    isReasoning: reasoning !== null || isFilled(speech['reasoning_details']),
  }
}
