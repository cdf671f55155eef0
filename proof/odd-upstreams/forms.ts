/** The forms of a chat: how each asks, with the history of an agent where it knows one, and how its answer is read. */
import { type Dialect, textDialect } from './dialect.ts'
import { readStreamedChat, readWholeChat } from './read-chat.ts'
import { readStreamedCompletion, readWholeCompletion } from './read-completion.ts'
import { readStreamedMessage, readWholeMessage } from './read-message.ts'
import { readStreamedResponse, readWholeResponse } from './read-response.ts'
import { type Json, parse, type Reading, record, must, name } from './reading.ts'

export interface Form {
  readonly name: 'chat' | 'messages' | 'responses' | 'completions'
  readonly path: string
  readonly body: (dialect: Dialect, isStream: boolean) => Json
  /** What a dialect is to this form. @param hasPath whether its upstream has a path for texts. */
  readonly speaks: (dialect: Dialect, hasPath: boolean) => Dialect
  readonly whole: (body: string, model: string) => Reading
  readonly streamed: (body: string, model: string, dialect: Dialect) => Reading
  /** Whether this is an error in the words of this form. */
  readonly isError: (value: Json) => boolean
}

/** Output tokens at most: more than any dialect says. */
const LIMIT = 2_000
const schema = { type: 'object', properties: { p: { type: 'number' } } } as const
const NAMES = ['add', 'see'] as const
const MARK = { cache_control: { type: 'ephemeral' } } as const

const chatTools = NAMES.map((each) => ({ type: 'function', function: { name: each, parameters: schema } }))

/** Whether a stream of chunks is asked to show its usage. */
export function wantsUsage({ number }: Dialect): boolean {
  return number % 2 === 0
}

const hasReasoning = ({ refuses }: Dialect): boolean => refuses.includes('reasoning')
const hasMarks = ({ refuses }: Dialect): boolean => refuses.includes('cache_control')

function isOpenAiError(value: Json): boolean {
  const { message, type, code, param } = record(value['error'], 'the error')
  const isText = [message, type, code].every((each) => typeof each === 'string' && each !== '')
  return isText && (param === null || typeof param === 'string')
}

function isMessageError(value: Json): boolean {
  must(value['type'] === 'error', 'this is no error', value)
  const { type, message } = record(value['error'], 'the error')
  name(value['request_id'], 'the id of the request')
  return [type, message].every((each) => typeof each === 'string' && each !== '')
}

const chat: Form = {
  name: 'chat',
  path: '/v1/chat/completions',
  speaks: (dialect) => dialect,
  body: (dialect, isStream) => ({
    max_completion_tokens: LIMIT,
    tools: chatTools,
    ...(isStream && wantsUsage(dialect) ? { stream_options: { include_usage: true } } : {}),
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi', ...(hasMarks(dialect) ? MARK : {}) }] },
      {
        role: 'assistant',
        content: null,
        ...(hasReasoning(dialect) ? { reasoning_content: 'I add.' } : {}),
        tool_calls: [{ id: 'call_h', type: 'function', function: { name: 'add', arguments: '{"p":1}' } }],
      },
      { role: 'tool', tool_call_id: 'call_h', content: '2' },
    ],
  }),
  whole: readWholeChat,
  streamed: (body, model, dialect) => readStreamedChat(body, model, wantsUsage(dialect)),
  isError: isOpenAiError,
}

const messages: Form = {
  name: 'messages',
  path: '/v1/messages',
  speaks: (dialect) => dialect,
  body: (dialect) => ({
    max_tokens: LIMIT,
    tools: NAMES.map((each) => ({ name: each, input_schema: schema })),
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi', ...(hasMarks(dialect) ? MARK : {}) }] },
      {
        role: 'assistant',
        content: [
          ...(hasReasoning(dialect) ? [{ type: 'thinking', thinking: 'I add.', signature: '' }] : []),
          { type: 'tool_use', id: 'call_h', name: 'add', input: { p: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_h', content: '2' }] },
    ],
  }),
  whole: readWholeMessage,
  streamed: readStreamedMessage,
  isError: isMessageError,
}

const responses: Form = {
  name: 'responses',
  path: '/v1/responses',
  speaks: (dialect) => dialect,
  body: (dialect) => ({
    store: false,
    max_output_tokens: LIMIT,
    tools: NAMES.map((each) => ({ type: 'function', name: each, parameters: schema })),
    input: [
      { role: 'user', content: 'Hi' },
      ...(hasReasoning(dialect) ? [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'I add.' }] }] : []),
      { type: 'function_call', call_id: 'call_h', name: 'add', arguments: '{"p":1}' },
      { type: 'function_call_output', call_id: 'call_h', output: '2' },
    ],
  }),
  whole: readWholeResponse,
  streamed: readStreamedResponse,
  isError: isOpenAiError,
}

const completions: Form = {
  name: 'completions',
  path: '/v1/completions',
  speaks: textDialect,
  body: (dialect, isStream) => ({
    max_tokens: LIMIT,
    prompt: 'Hi',
    ...(dialect.completes === 'gap' ? { suffix: 'there' } : {}),
    ...(isStream && wantsUsage(dialect) ? { stream_options: { include_usage: true } } : {}),
  }),
  whole: readWholeCompletion,
  streamed: (body, model, dialect) => readStreamedCompletion(body, model, wantsUsage(dialect)),
  isError: isOpenAiError,
}

export const forms: readonly Form[] = [chat, messages, responses, completions]

/** An answer as it came. */
export interface RawReply {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/**
 * Reads an answer by the rules of its form.
 *
 * @throws {UnreadableError} where a client could not.
 */
export function readReply(
  form: Form,
  reply: RawReply,
  asked: { readonly model: string; readonly dialect: Dialect },
): Reading {
  const { status, contentType, body } = reply
  const type = contentType.split(';')[0]
  if (status !== 200) {
    must(status >= 400 && status < 600 && type === 'application/json', 'this is neither answer nor error', reply)
    must(status !== 500, 'the gateway itself has failed', body)
    must(form.isError(parse(body)), 'an error lacks a part', body)
    return { ends: 'failed', text: '', reasoning: '', calls: [], finish: null, usage: null, credits: null }
  }
  if (type === 'application/json') return form.whole(body, asked.model)
  must(type === 'text/event-stream', 'the content type is another', contentType)
  return form.streamed(body, asked.model, asked.dialect)
}
