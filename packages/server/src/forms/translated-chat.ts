/**
 * Chats in another form than the gateway's own: the request becomes a chat, and the answer, or each frame of it, is
 * written again. Hold, charge and upstream are those of every chat. Source: decision 0036 (other forms of a chat).
 */
import type { StoredResponse } from '../admission/idempotency/stored-responses.ts'
import { writeCounted } from '../pipeline/json-call.ts'
import { parseJsonToPrint } from '@svc/contract'
import type { Clock } from '../platform/runtime/clock.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { FrameWriter, StreamReader } from '../pipeline/frame-writer.ts'
import { type ChatCall, parseTranslatedChat } from '../modalities/chat/parse-chat.ts'

/** A chat chunk, or the error that ended the stream. */
export type ChatFrame = Readonly<Record<string, unknown>>

/** Writes the frames of one stream again. */
export interface FrameTranslator {
  /** @returns the events that a frame becomes, as text; empty for none. */
  frame(frame: ChatFrame): string
  /** The events that follow the last frame, once the stream is over without an error. */
  end(): string
}

/** What identifies an answer before there is one. */
export interface AnswerHead {
  readonly requestId: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Says when it was completed. */
  readonly clock: Clock
  /** Made anew for each answer: it is in the ids of its items, and nowhere else. */
  readonly seed: string
}

/** Several chats of one request. They are answered whole, by a chat completion with the choices of all of them. */
export interface ChatsTogether {
  readonly calls: readonly [ChatCall, ...ChatCall[]]
  /** Whether their answers are sent as a stream. */
  readonly isStream: boolean
  /** Writes the answer as all events of a stream. @param json of a chat completion. */
  events(json: string): string
}

/** An answer with its request, as a team has it stored. */
export interface StoredTurn {
  readonly id: string
  readonly stored: StoredResponse
}

/** A request in another form. */
export interface TranslatedChat {
  readonly call: ChatCall
  /** Set where the request is several chats, of which `call` is the first. */
  readonly together?: ChatsTogether | null
  /** What the fields of a chat are called in this form, for its errors. */
  readonly fields: FieldNames
  /** Writes a whole answer again. @param json of a chat completion. */
  whole(json: string, head: AnswerHead): string
  /** Begins to write a stream again. */
  frames(head: AnswerHead): FrameTranslator
  /**
   * Finds what of an answer is kept for a next turn, in its text or in its last events; null or absent keeps nothing,
   * as it does where it returns null.
   */
  readonly itemsOf?: ((text: string) => string | null) | null
  /** The same for what the caller's team has stored: null or absent stores nothing. */
  readonly turnOf?: ((text: string) => StoredTurn | null) | null
}

/** Field names of a chat, and what they are called in another form. */
export type FieldNames = Readonly<Record<string, string>>

/** An error whose `param` names the field that the client sent. */
export function renameParam(error: unknown, names: FieldNames): unknown {
  if (!(error instanceof ServiceError) || error.param === null) return error
  const [field = '', ...rest] = error.param.split('.')
  const name = names[field]
  if (name === undefined) return error
  // The place within a list of messages is not that within the items they were made from.
  const isList = field === 'messages'
  return error.renamed({
    message: error.message.replaceAll(`'${error.param}'`, `'${name}'`),
    param: isList ? name : [name, ...rest].join('.'),
  })
}

/** How a body becomes a chat. */
export interface Translation {
  /** What the chat's fields are called in the other form. */
  readonly names: FieldNames
  /** Length of the body in the other form. */
  readonly bytes: number
  readonly completes?: ChatCall['completes']
}

/**
 * Reads a translated body as the chat that it is.
 *
 * @throws {ServiceError} 400 in the words of the other form.
 */
export async function parseTranslated(
  body: object,
  { names, bytes, completes = null }: Translation,
): Promise<ChatCall> {
  try {
    return parseTranslatedChat(await writeCounted(body, bytes), completes)
  } catch (error) {
    throw renameParam(error, names)
  }
}

const DATA = 'data: '
const DONE = '[DONE]'

function translate(text: string, translator: FrameTranslator, state: { failed: boolean }): string {
  let written = ''
  for (const event of text.split('\n\n')) {
    if (!event.startsWith(DATA)) continue
    const data = event.slice(DATA.length)
    if (data === DONE) {
      if (!state.failed) written += translator.end()
      continue
    }
    const frame = parseJsonToPrint(data) as ChatFrame
    state.failed ||= 'error' in frame
    written += translator.frame(frame)
  }
  return written
}

/** A reader of the other form, as the chat sees it. Whole frames come in, so that none is cut. */
export function translatedReader(reader: StreamReader, translator: FrameTranslator): StreamReader {
  return {
    get gone() {
      return reader.gone
    },
    charged: (charge) => reader.charged(charge),
    open: (): FrameWriter => {
      const writer = reader.open()
      const state = { failed: false }
      return {
        write: (text) => writer.write(translate(text, translator, state)),
        end: (text) => writer.end(translate(text, translator, state)),
        onDrain: (listener) => writer.onDrain(listener),
      }
    },
  }
}

/** An event with its name, as forms with named events write it. */
export function renderNamedEvent(type: string, event: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** A value of an answer that is an object; empty for anything else. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** The items of a list that are objects. */
export function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordOf) : []
}

/** Notes about a chat's text, such as its sources, and images: a form that has no place for them has them beside. */
export function listsBeside(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const lists = ['annotations', 'images'].map((name) => [name, recordsOf(message[name])] as const)
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0))
}

/** A text that is there and not empty; null for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** A count that an upstream gave; 0 for none. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** What a chat shows of its reasoning, however its upstream calls it. */
export function reasoningOf(message: Readonly<Record<string, unknown>>): string | null {
  return textOf(message['reasoning_content']) ?? textOf(message['reasoning'])
}
