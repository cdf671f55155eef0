/** Parts of a chat request that some upstreams refuse, and that can be left out. */
import { type JsonBody, walkElements } from '../../platform/json/json-body.ts'
import { parseExactly } from '../../platform/json/exact-json.ts'
import type { UpstreamChatRequest } from '../chat-upstream.ts'
import { recordOf, recordsOf } from './json-records.ts'
import type { LeftOut, PartedRequest } from './learned-refusals.ts'
import { isObject } from './usage.ts'

type Json = Record<string, unknown>

/** What the gateway adds to ask for usage, reasoning of earlier answers, and marks for a cache of the prompt. */
export type ChatPart = 'stream_options' | 'reasoning' | 'cache_control'

/** By what an error names a part. */
const marks: Readonly<Record<ChatPart, readonly string[]>> = {
  stream_options: ['stream_options', 'include_usage'],
  reasoning: ['reasoning'],
  cache_control: ['cache_control'],
}

/** The parts that the body of an error names. A prompt that it quotes may name them, too: it proves nothing. */
export function partsNamedIn(error: Buffer): readonly ChatPart[] {
  const named = Object.entries(marks).filter(([, words]) => words.some((word) => error.includes(word)))
  return named.map(([part]) => part as ChatPart)
}

const REASONING_KEYS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const

/** A request and the parts that it has. */
export function partedChat({ body, stream, upstreamModel, signal }: UpstreamChatRequest): PartedRequest<ChatPart> {
  return {
    ...{ upstreamModel, signal },
    certain: stream ? 'stream_options' : null,
    parts: () => {
      const has = (key: string): boolean => body.text.includes(`"${key}"`)
      return [
        ...(stream ? (['stream_options'] as const) : []),
        ...(REASONING_KEYS.some(has) ? (['reasoning'] as const) : []),
        ...(has('cache_control') ? (['cache_control'] as const) : []),
      ]
    },
  }
}

/** The name under which a model writes the text of its reasoning; null where it has written none yet. */
export type ReasoningName = 'reasoning_content' | 'reasoning' | null

/** The name under which an answer, or a chunk of one, has the text of its reasoning. */
export function reasoningNameIn({ choices }: Json): ReasoningName {
  for (const choice of recordsOf(choices)) {
    const speech = recordOf(choice['delta'] ?? choice['message'])
    for (const name of ['reasoning_content', 'reasoning'] as const) {
      if (typeof speech[name] === 'string' && speech[name] !== '') return name
    }
  }
  return null
}

/** How a request is written for one model, where not as it came. */
export interface WayOfWriting {
  readonly left: LeftOut<ChatPart>
  readonly reasoning: ReasoningName
}

function isMedia(part: unknown): boolean {
  return isObject(part) && part['type'] !== 'text' && part['type'] !== 'refusal'
}

/** Whether a result of a tool has an image or the like, which this API knows in messages of users alone. */
function hasMedia(message: unknown): boolean {
  return isObject(message) && message['role'] === 'tool' && Array.isArray(message['content'])
    ? message['content'].some(isMedia)
    : false
}

/** Whether a message has reasoning that the model reads under another name, or not at all. */
function hasOddReasoning(message: Json, { left, reasoning }: WayOfWriting): boolean {
  if (left.has('reasoning')) return REASONING_KEYS.some((key) => message[key] !== undefined)
  return reasoning !== null && message[otherName(reasoning)] !== undefined
}

function otherName(name: NonNullable<ReasoningName>): NonNullable<ReasoningName> {
  return name === 'reasoning' ? 'reasoning_content' : 'reasoning'
}

/** The same reasoning under the name that the model reads; what is left out is gone. */
function writeReasoning(message: Json, { left, reasoning }: WayOfWriting): void {
  if (left.has('reasoning')) for (const key of REASONING_KEYS) delete message[key]
  if (reasoning === null) return
  const other = otherName(reasoning)
  if (message[other] === undefined) return
  message[reasoning] ??= message[other]
  delete message[other]
}

/** Takes the marks of a prompt's cache off a message or a tool, and off its parts. */
function dropMarks(value: Json): void {
  delete value['cache_control']
  for (const key of ['content', 'tool_calls']) for (const part of recordsOf(value[key])) delete part['cache_control']
  delete recordOf(value['function'])['cache_control']
}

/** A list of a body: its text, and what it was parsed to. */
interface List {
  readonly text: Buffer
  readonly values: readonly unknown[]
}

function listIn({ text, value, members }: JsonBody, name: string): List | null {
  const member = members.get(name)
  const values = value[name]
  if (member === undefined || !Array.isArray(values)) return null
  return { text: text.subarray(member.valueStart, member.valueEnd), values }
}

/** Writes the elements of a list again: those that are odd are edited, all others are copied. */
function writeElements(
  { text, values }: List,
  isOdd: (value: Json, source: string) => boolean,
  edit: (value: Json, at: number) => void,
): string[] {
  const written: string[] = []
  walkElements(text, (start, end) => {
    const source = text.toString('utf8', start, end)
    const at = written.length
    const value = values[at]
    if (!isObject(value) || !isOdd(value, source)) return void written.push(source)
    const made = parseExactly(source) as Json
    edit(made, at)
    written.push(JSON.stringify(made))
  })
  return written
}

/** Puts the media of results behind the results that follow each other: nothing may stand between these. */
function moveMedia({ values }: List, written: readonly string[], media: ReadonlyMap<number, readonly unknown[]>) {
  const moved: string[] = []
  let waiting: unknown[] = []
  for (const [at, text] of written.entries()) {
    moved.push(text)
    for (const part of media.get(at) ?? []) waiting.push(part)
    const next = values[at + 1]
    if (waiting.length === 0 || (isObject(next) && next['role'] === 'tool')) continue
    moved.push(JSON.stringify({ role: 'user', content: waiting }))
    waiting = []
  }
  return moved
}

/** What a result without a text says. */
const SEE_BELOW = 'The result is in the next message of the user.'

const isMarked = (_value: Json, source: string): boolean => source.includes('"cache_control"')

function writeMessages(list: List, way: WayOfWriting): string {
  const dropsMarks = way.left.has('cache_control')
  const media = new Map<number, readonly unknown[]>()
  const written = writeElements(
    list,
    (message, source) =>
      hasMedia(message) || hasOddReasoning(message, way) || (dropsMarks && isMarked(message, source)),
    (message, at) => {
      writeReasoning(message, way)
      if (dropsMarks) dropMarks(message)
      if (!hasMedia(message)) return
      const parts = message['content'] as readonly unknown[]
      const texts = parts.filter((part) => !isMedia(part))
      media.set(at, parts.filter(isMedia))
      message['content'] = texts.length === 0 ? SEE_BELOW : texts
    },
  )
  return `[${moveMedia(list, written, media).join(',')}]`
}

/** What has to be written otherwise than it came; empty for nearly every request. */
export function editParts(body: JsonBody, way: WayOfWriting): Map<string, string | null> {
  const edits = new Map<string, string | null>()
  const dropsMarks = way.left.has('cache_control')
  const messages = listIn(body, 'messages')
  const isOdd = (message: unknown): boolean => isObject(message) && (hasMedia(message) || hasOddReasoning(message, way))
  if (messages !== null && (dropsMarks || messages.values.some(isOdd))) {
    edits.set('messages', writeMessages(messages, way))
  }
  if (!dropsMarks) return edits
  edits.set('cache_control', null)
  const tools = listIn(body, 'tools')
  if (tools !== null) edits.set('tools', `[${writeElements(tools, isMarked, dropMarks).join(',')}]`)
  return edits
}
