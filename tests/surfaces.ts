/** The forms of a chat, each whole and streamed: one question to all, and one shape of what they answer. */
import { parseExactly } from '../packages/server/src/platform/json/exact-json.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'

type Json = Readonly<Record<string, unknown>>

export interface CalledTool {
  readonly id: string
  readonly name: string
  /** As text. */
  readonly input: string
}

/** An answer in whichever form, as far as all of them say it. */
export interface SurfaceAnswer {
  readonly status: number
  readonly text: string
  readonly calls: readonly CalledTool[]
  /** In the words of a chat; null for an answer that failed. */
  readonly finish: string | null
  /** The code of the error; null where there is none. */
  readonly error: string | null
  /** The whole answer, or the data of its events in their order. */
  readonly events: readonly Json[]
  /** Everything, as it came. */
  readonly raw: string
}

export interface Surface {
  readonly name: string
  readonly path: string
  readonly isStream: boolean
  /** A request, with messages of a chat made into this form. */
  readonly body: (more: Json) => Json
  readonly read: (events: readonly Json[]) => Pick<SurfaceAnswer, 'text' | 'calls' | 'finish'>
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : [])
const record = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Calls put together as the official clients do: by their number alone. */
class Calls {
  readonly all: { id: string; name: string; input: string }[] = []

  at(index: number): { id: string; name: string; input: string } {
    return (this.all[index] ??= { id: '', name: '', input: '' })
  }
}

/** The piece of a call, or a whole one; throws where the official clients do. */
function addCall(calls: Calls, call: Json, index: unknown): void {
  if (typeof index !== 'number') throw new Error(`a call without a number: ${JSON.stringify(call)}`)
  const made = calls.at(index)
  const { name, arguments: input } = record(call['function'])
  if (input !== undefined && typeof input !== 'string') throw new Error('arguments that are no text')
  made.id += text(call['id'])
  made.name += text(name)
  made.input += text(input)
}

function readChat(events: readonly Json[]) {
  const calls = new Calls()
  let said = ''
  let finish: string | null = null
  for (const choice of events.flatMap((event) => list(event['choices']))) {
    const speech = record(choice['delta'] ?? choice['message'])
    said += text(speech['content'])
    finish = (choice['finish_reason'] as string | null) ?? finish
    for (const [place, call] of list(speech['tool_calls']).entries()) {
      addCall(calls, call, 'delta' in choice ? call['index'] : place)
    }
  }
  return { text: said, calls: calls.all, finish }
}

const STOPS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
}

function readCompletion(events: readonly Json[]) {
  const choices = events.flatMap((event) => list(event['choices']))
  const ends = choices.map((choice) => choice['finish_reason'] as string | null)
  return {
    text: choices.map((choice) => text(choice['text'])).join(''),
    calls: [],
    finish: ends.findLast(Boolean) ?? null,
  }
}

function readMessage(events: readonly Json[]) {
  const calls = new Calls()
  const blocks: Json[] = []
  let said = ''
  let finish: string | null = null
  const add = (block: Json, input: string): void => {
    if (block['type'] === 'text') said += text(block['text'])
    if (block['type'] === 'tool_use') calls.all.push({ id: text(block['id']), name: text(block['name']), input })
  }
  for (const event of events) {
    const delta = record(event['delta'])
    const stop = event['stop_reason'] ?? delta['stop_reason']
    if (typeof stop === 'string') finish = STOPS[stop] ?? stop
    for (const block of list(event['content'])) add(block, JSON.stringify(block['input']))
    if (event['type'] === 'content_block_start') {
      blocks[event['index'] as number] = record(event['content_block'])
      add(record(event['content_block']), '')
    }
    if (event['type'] !== 'content_block_delta') continue
    said += text(delta['text'])
    const last = calls.all.at(-1)
    if (last !== undefined) last.input += text(delta['partial_json'])
  }
  return { text: said, calls: calls.all, finish }
}

function readResponse(events: readonly Json[]) {
  const whole = record(events.at(-1)?.['response'] ?? events.at(-1))
  const output = list(whole['output'])
  const calls = output
    .filter(({ type }) => type === 'function_call')
    .map((item) => ({ id: text(item['call_id']), name: text(item['name']), input: text(item['arguments']) }))
  const said = output.flatMap((item) => list(item['content'])).map((part) => text(part['text']))
  const reason = record(whole['incomplete_details'])['reason']
  const ended = reason === 'max_output_tokens' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
  return { text: said.join(''), calls, finish: whole['status'] === 'failed' ? null : ended }
}

const FORMS = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    body: (more: Json) => ({ messages: [{ role: 'user', content: 'Hi' }], ...more }),
    read: readChat,
  },
  {
    name: 'messages',
    path: '/v1/messages',
    body: (more: Json) => ({ max_tokens: 500, messages: [{ role: 'user', content: 'Hi' }], ...more }),
    read: readMessage,
  },
  {
    name: 'responses',
    path: '/v1/responses',
    body: (more: Json) => ({ input: 'Hi', store: false, ...more }),
    read: readResponse,
  },
] as const

/** The form that knows text alone. */
const TEXT_FORM = {
  name: 'completions',
  path: '/v1/completions',
  body: (more: Json) => ({ max_tokens: 500, prompt: 'Hi', ...more }),
  read: readCompletion,
} as const

function bothWays(form: Pick<Surface, 'name' | 'path' | 'body' | 'read'>): readonly Surface[] {
  return [false, true].map((isStream) => ({
    ...form,
    name: `${form.name} ${isStream ? 'streamed' : 'whole'}`,
    isStream,
  }))
}

/** Each form that has messages and tools, whole and streamed. */
export const surfaces: readonly Surface[] = FORMS.flatMap(bothWays)

/** These, and the form that has neither: for what concerns text. */
export const textSurfaces: readonly Surface[] = [...surfaces, ...bothWays(TEXT_FORM)]

/** Asks in one form, and reads the answer to its end. */
export async function askSurface(
  gateway: Pick<TestGateway, 'fetch'>,
  surface: Surface,
  more: Json = {},
): Promise<SurfaceAnswer> {
  const response = await gateway.fetch(surface.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'local', stream: surface.isStream, ...surface.body(more) }),
  })
  const raw = await response.text()
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const data = isEvents
    ? raw.split('\n').flatMap((line) => (line.startsWith('data: ') && line !== 'data: [DONE]' ? [line.slice(6)] : []))
    : [raw]
  const events = data.map((event) => parseExactly(event) as Json)
  const failed = events.map((event) => event['error'] ?? (event['type'] === 'error' ? event : null)).find(Boolean)
  const { code } = record(failed)
  const error = failed === undefined ? null : text(code)
  return { status: response.status, raw, events, error, ...surface.read(events) }
}
