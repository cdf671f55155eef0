/**
 * The parts of answers and chunks that clients know. Everything else an upstream says about itself (provider, timings,
 * its own finish reasons and accounting) is left out, so that it can be exchanged without any client noticing.
 */
import type { ChunkFacts } from '../chat-upstream.ts'
import { isCall, namedOf, readCall } from './tool-calls.ts'
import { isObject } from './usage.ts'

type Json = Record<string, unknown>

/** Reads one part of a message or delta; undefined when it is not what clients can read there. */
type Read = (value: unknown) => unknown

const text: Read = (value) => (typeof value === 'string' ? value : undefined)
const textOrNull: Read = (value) => (value === null ? null : text(value))
const object: Read = (value) => (value === null || isObject(value) ? value : undefined)
const objects: Read = (value) => (value === null ? null : Array.isArray(value) ? value.filter(isObject) : undefined)

/** The text of one part of content; empty for one of another kind. */
function partText(part: unknown): string {
  return isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''
}

/**
 * Clients take content for text. Some upstreams send it in parts, and some what a model writes as JSON as JSON: a number
 * as a number. Source: Cloudflare's Workers AI, JSON mode and streams.
 */
const content: Read = (value) => {
  if (Array.isArray(value)) return value.map(partText).join('')
  if (!isObject(value))
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : textOrNull(value)
  return partText(value) || JSON.stringify(value)
}

/** The text of one thinking part: `{type: 'thinking', thinking: '…' | [{text: '…'}]}`. */
function thoughtOf(part: unknown): string {
  const thinking = isObject(part) ? part['thinking'] : undefined
  if (!Array.isArray(thinking)) return typeof thinking === 'string' ? thinking : ''
  return thinking.map((piece) => (isObject(piece) && typeof piece['text'] === 'string' ? piece['text'] : '')).join('')
}

/**
 * Thoughts in content that comes in parts; null where there are none. Source: Mistral's API reference, reasoning.
 */
function thoughtsIn(content: unknown): string | null {
  const thoughts = Array.isArray(content) ? content.map(thoughtOf).join('') : ''
  return thoughts === '' ? null : thoughts
}

/** Choices and calls that clients number at most. Source: OpenAI's API reference: 128 choices, and 128 tools. */
const NUMBER_MAX = 127

/** The number of a choice or of a call; null for one that no client can use. */
export function readNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= NUMBER_MAX ? value : null
}

const calls: Read = (value) => {
  if (!Array.isArray(value)) return value === null ? null : undefined
  return value.filter(isObject).map(readCall)
}

/** An answer is the assistant's, whatever its server calls it: strict clients read no other word. */
const role: Read = (value) => (value === 'assistant' ? value : undefined)

/** A source as OpenAI writes it. Some servers leave out where it stands, or write it as Responses do. */
function readNote(note: Json): Json | null {
  if (note['type'] !== 'url_citation') return note
  const given = isObject(note['url_citation']) ? note['url_citation'] : note
  const { url, title, start_index: start, end_index: end } = given
  if (typeof url !== 'string') return null
  const place = { start_index: Number.isInteger(start) ? start : 0, end_index: Number.isInteger(end) ? end : 0 }
  const { type: _type, ...cited } = given
  return {
    type: 'url_citation',
    url_citation: { ...cited, url, title: typeof title === 'string' ? title : url, ...place },
  }
}

const notes: Read = (value) => {
  const read = objects(value)
  return Array.isArray(read) ? read.map(readNote).filter((note) => note !== null) : read
}

/** What clients know of a message or delta, and how each part is read. */
const SPEECH: readonly (readonly [string, Read])[] = Object.entries({
  role,
  content,
  refusal: textOrNull,
  tool_calls: calls,
  function_call: object,
  annotations: notes,
  audio: object,
  images: objects,
  reasoning_content: text,
  reasoning_details: objects,
  // Gemini's signatures, which it wants to see again.
  extra_content: object,
})

/** What a choice says: under the first of these names, or as the mere text of a text completion. */
export function speechOf(choice: Json, ...names: readonly ('delta' | 'message')[]): Json {
  for (const name of names) {
    const speech = choice[name]
    if (isObject(speech)) return speech
  }
  const { text: completed } = choice
  return typeof completed === 'string' ? { content: completed } : {}
}

const REASONING_NAMES = ['reasoning_content', 'reasoning'] as const

/**
 * Keeps what clients know of a message or delta, where it is of the kind that they can read; reasoning text goes
 * by one name only.
 */
export function cleanSpeech(speech: Json): Json {
  const clean: Json = {}
  for (const [key, read] of SPEECH) {
    const said = speech[key]
    const value = said === undefined ? undefined : read(said)
    if (value !== undefined) clean[key] = value
  }
  const { reasoning } = speech
  const other = typeof reasoning === 'string' ? reasoning : thoughtsIn(speech['content'])
  if (clean['reasoning_content'] === undefined && other !== null) clean['reasoning_content'] = other
  return clean
}

function textBytes(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0
}

function toolBytes(calls: unknown): number {
  if (!Array.isArray(calls)) return 0
  let bytes = 0
  for (const call of calls) {
    const named = isObject(call) ? namedOf(call) : null
    if (isObject(named)) bytes += textBytes(named['name']) + textBytes(named['arguments'])
  }
  return bytes
}

function reasoningText(speech: Json): unknown {
  for (const name of REASONING_NAMES) if (typeof speech[name] === 'string' && speech[name] !== '') return speech[name]
  return thoughtsIn(speech['content'])
}

function isSaid(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** Whether there is an object of the kind that `cleanSpeech` keeps. */
function isHeld(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isObject) : isObject(value)
}

/** Whether a call of a tool is there that a client can make. */
function hasCall(calls: unknown): boolean {
  return Array.isArray(calls) && calls.some((call) => isObject(call) && isCall(call))
}

function hasSound(audio: unknown): boolean {
  return isObject(audio) && (isSaid(audio['data']) || isSaid(audio['transcript']))
}

/** Bytes of the audio that a message or delta holds. */
function audioBytes(audio: unknown): number {
  const data = isObject(audio) ? audio['data'] : null
  return typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0
}

/** Says how much a message or delta carries. */
export function measureSpeech(speech: Json): Omit<ChunkFacts, 'finishReason'> {
  const reasoning = reasoningText(speech)
  const call = isObject(speech['function_call']) ? speech['function_call'] : null
  const spoken = textBytes(content(speech['content']))
  return {
    outputBytes:
      spoken +
      textBytes(speech['refusal']) +
      textBytes(reasoning) +
      toolBytes(speech['tool_calls']) +
      textBytes(call?.['arguments']),
    hasContent:
      spoken > 0 ||
      isSaid(speech['refusal']) ||
      hasCall(speech['tool_calls']) ||
      isHeld(speech['function_call']) ||
      hasSound(speech['audio']) ||
      isHeld(speech['images']),
    isReasoning: reasoning !== null || isHeld(speech['reasoning_details']),
    hasCalls: hasCall(speech['tool_calls']),
    audioBytes: audioBytes(speech['audio']),
    images: Array.isArray(speech['images']) ? speech['images'].filter(isObject).length : 0,
  }
}
