/** The messages of a chat request as native APIs have them: instructions apart, and turns of two sides. */
import { parseExactly } from '../../platform/json/exact-json.ts'
import { JsonCounter, REQUEST_JSON } from '../../platform/json/json-limits.ts'
import { isObject } from '../openai-compatible/usage.ts'
import { placeOf, placeThoughts, type ThoughtPlace } from '../thought-place.ts'
import { invalid, type Json, unsupported } from './request-fields.ts'

export interface TextPiece {
  readonly kind: 'text'
  readonly text: string
  readonly cacheControl: unknown
}

/** What is given by its bytes. */
export interface MediaPiece {
  readonly kind: 'media'
  readonly mediaType: string
  /** Base64. */
  readonly data: string
  readonly title: unknown
  readonly cacheControl: unknown
}

/** An image that is given by its address. */
export interface LinkPiece {
  readonly kind: 'link'
  readonly url: string
  readonly param: string
  readonly cacheControl: unknown
}

export interface CallPiece {
  readonly kind: 'call'
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly cacheControl: unknown
}

export interface ResultPiece {
  readonly kind: 'result'
  readonly id: string
  /** Of the function that was called. */
  readonly name: string
  readonly content: readonly (TextPiece | MediaPiece | LinkPiece)[]
  readonly cacheControl: unknown
  readonly param: string
}

/** Reasoning of an earlier answer, with what lets its model read it again. */
export interface ThoughtPiece {
  readonly kind: 'thought'
  readonly format: unknown
  readonly text: string
  readonly signature: string | null
  readonly index: unknown
  readonly place: ThoughtPlace
}

/** Reasoning that only its model can read. `id` names the call that it belongs to; null for none. */
export interface SealedPiece {
  readonly kind: 'sealed'
  readonly format: unknown
  readonly data: string
  readonly id: string | null
  readonly place: ThoughtPlace
}

export type Piece = TextPiece | MediaPiece | LinkPiece | CallPiece | ResultPiece | ThoughtPiece | SealedPiece

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly pieces: Piece[]
}

export interface Conversation {
  readonly system: readonly TextPiece[]
  readonly turns: readonly Turn[]
}

/** A turn as an API has it. */
export interface WrittenTurn {
  readonly role: Turn['role']
  readonly parts: Json[]
}

/**
 * Writes the turns. One of which nothing can be written, as of the reasoning of another model alone, is left out, since
 * these APIs refuse a turn without parts; the turns around it are of one side and become one.
 *
 * @param write the parts of a turn; may give none.
 */
export function writeTurns(turns: readonly Turn[], write: (turn: Turn) => readonly Json[]): readonly WrittenTurn[] {
  const written: WrittenTurn[] = []
  for (const turn of turns) {
    const parts = write(turn)
    const last = written.at(-1)
    // One by one, as pieces are joined.
    if (last?.role === turn.role) for (const part of parts) last.parts.push(part)
    else if (parts.length > 0) written.push({ role: turn.role, parts: [...parts] })
  }
  return written
}

type ContentPiece = TextPiece | MediaPiece | LinkPiece

/** Longest type and options of a data URL, in UTF-16 units. Source: own choice. */
const DATA_HEAD_MAX = 512

function readDataUrl(url: string, param: string): { readonly mediaType: string; readonly data: string } {
  const comma = url.slice(0, DATA_HEAD_MAX).indexOf(',')
  const [mediaType = '', ...options] = url.slice('data:'.length, Math.max(comma, 0)).split(';')
  if (comma === -1 || mediaType === '' || !options.includes('base64')) throw invalid(param, 'a data URL in base64')
  return { mediaType: mediaType.toLowerCase(), data: url.slice(comma + 1) }
}

function readMedia(url: unknown, param: string, cacheControl: unknown, title: unknown = null): MediaPiece | LinkPiece {
  if (typeof url !== 'string') throw invalid(param, 'a data URL')
  if (/^data:/i.test(url)) return { kind: 'media', ...readDataUrl(url, param), title, cacheControl }
  if (/^https?:\/\//i.test(url)) return { kind: 'link', url, param, cacheControl }
  throw invalid(param, 'a data URL or an https address')
}

function readAudio(part: Json, param: string): MediaPiece {
  const { data, format } = isObject(part['input_audio']) ? part['input_audio'] : {}
  if (typeof data !== 'string' || typeof format !== 'string') throw invalid(param, 'data and format')
  const mediaType = `audio/${format.toLowerCase()}`
  return { kind: 'media', mediaType, data, title: null, cacheControl: part['cache_control'] }
}

function readFile(part: Json, param: string): MediaPiece {
  const file = isObject(part['file']) ? part['file'] : {}
  const piece = readMedia(file['file_data'], `${param}.file.file_data`, part['cache_control'], file['filename'])
  if (piece.kind === 'media') return piece
  throw unsupported(`${param}.file`, 'Give the file as a data URL in file_data.')
}

function readPart(part: unknown, param: string): ContentPiece {
  const cacheControl = isObject(part) ? part['cache_control'] : null
  const type = isObject(part) ? part['type'] : null
  if (!isObject(part)) throw invalid(param, 'a part')
  if (type === 'text' || type === 'refusal') {
    return { kind: 'text', text: readText(part[type], `${param}.${type}`), cacheControl }
  }
  if (type === 'image_url' || type === 'video_url') {
    const held = part[type]
    return readMedia(isObject(held) ? held['url'] : held, `${param}.${type}.url`, cacheControl)
  }
  if (type === 'input_audio') return readAudio(part, `${param}.input_audio`)
  if (type === 'file') return readFile(part, param)
  throw unsupported(`${param}.type`, 'Give text, image_url, input_audio or file.')
}

function readText(text: unknown, param: string): string {
  if (typeof text === 'string') return text
  throw invalid(param, 'a string')
}

/** Without texts that are empty, which these APIs refuse. */
function readContent(content: unknown, param: string): readonly ContentPiece[] {
  const pieces: readonly ContentPiece[] = Array.isArray(content)
    ? content.map((part, index) => readPart(part, `${param}.${index}`))
    : typeof content === 'string'
      ? [{ kind: 'text', text: content, cacheControl: null }]
      : []
  return pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '')
}

/** @param counter of all calls of the request. */
function readInput(text: unknown, param: string, counter: JsonCounter): Json {
  let input: unknown = null
  try {
    if (typeof text === 'string') counter.count(Buffer.from(text))
    input = typeof text === 'string' ? parseExactly(text.trim() === '' ? '{}' : text) : null
  } catch {
    throw invalid(param, 'a JSON object')
  }
  if (!isObject(input)) throw invalid(param, 'a JSON object')
  return input
}

function readCall(call: unknown, place: string, counter: JsonCounter): CallPiece {
  const called = isObject(call) && isObject(call['function']) ? call['function'] : null
  if (!isObject(call) || called === null) throw unsupported(place, 'Only calls of functions can be continued.')
  const id = readText(call['id'], `${place}.id`)
  return { ...readCalled(id, called, `${place}.function`, counter), cacheControl: call['cache_control'] }
}

function readCalled(id: string, called: Json, place: string, counter: JsonCounter): CallPiece {
  const name = readText(called['name'], `${place}.name`)
  const input = readInput(called['arguments'], `${place}.arguments`, counter)
  return { kind: 'call', id, name, input, cacheControl: null }
}

function readCalls(message: Json, param: string, counter: JsonCounter): readonly CallPiece[] {
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'] : []
  const read = calls.map((call: unknown, index) => readCall(call, `${param}.tool_calls.${index}`, counter))
  const { function_call: called } = message
  if (!isObject(called)) return read
  // The old form has no ids: one is made of the place of the message.
  const id = param.replace('messages.', 'function_')
  return [...read, readCalled(id, called, `${param}.function_call`, counter)]
}

/** Joins the pieces of a reasoning text, which clients collect from a stream one by one. */
function readThoughts(message: Json): readonly (ThoughtPiece | SealedPiece)[] {
  const pieces: (ThoughtPiece | SealedPiece)[] = []
  const details = Array.isArray(message['reasoning_details']) ? message['reasoning_details'].filter(isObject) : []
  for (const detail of details) {
    const { type, text, signature, data, id, format, index } = detail
    const place = placeOf(detail)
    if (type === 'reasoning.encrypted' && typeof data === 'string') {
      pieces.push({ kind: 'sealed', format, data, id: typeof id === 'string' ? id : null, place })
    }
    if (type !== 'reasoning.text') continue
    const said = typeof text === 'string' ? text : ''
    const signed = typeof signature === 'string' && signature !== '' ? signature : null
    const last = pieces.at(-1)
    const continues = last?.kind === 'thought' && last.signature === null && last.index === index
    if (continues) pieces[pieces.length - 1] = { ...last, text: last.text + said, signature: signed }
    else pieces.push({ kind: 'thought', format, text: said, signature: signed, index, place })
  }
  return pieces
}

/** The call that a message of the old form answers: the last of its function. */
function functionId({ name }: Json, param: string, names: ReadonlyMap<string, string>): string {
  const call = [...names].findLast(([, called]) => called === name)
  if (call !== undefined) return call[0]
  throw invalid(`${param}.name`, 'the name of a function that an earlier message calls')
}

function readResult(message: Json, param: string, names: ReadonlyMap<string, string>): ResultPiece {
  const id = message['role'] === 'function' ? functionId(message, param, names) : message['tool_call_id']
  const name = typeof id === 'string' ? names.get(id) : undefined
  if (typeof id !== 'string' || name === undefined) {
    throw invalid(`${param}.tool_call_id`, 'the id of a call in an earlier message')
  }
  const content = readContent(message['content'], `${param}.content`)
  return { kind: 'result', id, name, content, cacheControl: message['cache_control'], param: `${param}.content` }
}

function readSpeech(message: Json, param: string, counter: JsonCounter): readonly Piece[] {
  const content = readContent(message['content'], `${param}.content`)
  if (message['role'] !== 'assistant') return content
  const { refusal } = message
  const refused: readonly TextPiece[] =
    typeof refusal === 'string' && refusal !== '' ? [{ kind: 'text', text: refusal, cacheControl: null }] : []
  const thoughts = readThoughts(message).map((item) => ({ item, place: item.place }))
  const said = [...content, ...refused, ...readCalls(message, param, counter)].map((item) => {
    return { item, text: item.kind === 'text' ? item.text : null, isCall: item.kind === 'call' }
  })
  return placeThoughts<Piece>(thoughts, said, (item, text) => (item.kind === 'text' ? { ...item, text } : item))
}

/**
 * Reads the messages. Instructions go before everything else wherever they were, since these APIs have one place for
 * them; messages of one side that follow each other are one turn, as results of parallel calls have to be.
 *
 * @param messages of a request whose shape was checked.
 * @throws {ServiceError} 400 with the place of what cannot be translated.
 */
export function readConversation(messages: unknown): Conversation {
  const system: TextPiece[] = []
  const turns: Turn[] = []
  const names = new Map<string, string>()
  const counter = new JsonCounter(REQUEST_JSON)
  for (const [index, message] of (Array.isArray(messages) ? messages.filter(isObject) : []).entries()) {
    const param = `messages.${index}`
    const { role } = message
    const pieces =
      role === 'tool' || role === 'function' ? [readResult(message, param, names)] : readSpeech(message, param, counter)
    if (role === 'system' || role === 'developer') {
      const texts = pieces.filter((piece) => piece.kind === 'text')
      if (texts.length < pieces.length) throw unsupported(`${param}.content`, 'Instructions are text.')
      for (const text of texts) system.push(text)
      continue
    }
    for (const piece of pieces) if (piece.kind === 'call') names.set(piece.id, piece.name)
    const side = role === 'assistant' ? 'assistant' : 'user'
    const last = turns.at(-1)
    // One by one: a call with a hundred thousand arguments has no room on the stack.
    if (last?.role === side) for (const piece of pieces) last.pieces.push(piece)
    else if (pieces.length > 0) turns.push({ role: side, pieces: [...pieces] })
  }
  return { system, turns }
}
