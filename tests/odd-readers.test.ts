/** The strict readers of the proof of odd upstreams refuse what a client of the form could not read. */
import { describe, expect, test } from 'vitest'
import { readStreamedChat, readWholeChat } from '../proof/odd-upstreams/read-chat.ts'
import { readStreamedMessage } from '../proof/odd-upstreams/read-message.ts'
import { readStreamedResponse } from '../proof/odd-upstreams/read-response.ts'
import { UnreadableError } from '../proof/odd-upstreams/reading.ts'

type Json = Record<string, unknown>
const SVC = { svc: { credits_charged: 0.5 } }
const data = (...values: readonly Json[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')
const named = (...values: readonly Json[]): string =>
  values.map((value) => `event: ${String(value['type'])}\ndata: ${JSON.stringify(value)}\n\n`).join('')

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const chunk = (delta: Json, finish_reason: string | null = null, more: Json = {}): Json => ({
  ...{ ...head, choices: [{ index: 0, delta, finish_reason }], ...more },
})
const DONE = 'data: [DONE]\n\n'
const role = chunk({ role: 'assistant', content: 'Hi' })
const call = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
const end = chunk({}, 'stop', SVC)

describe('a streamed chat', () => {
  test('that is right is read', () => {
    expect(readStreamedChat(data(role, end) + DONE, 'm', false)).toMatchObject({
      ends: 'whole',
      text: 'Hi',
      credits: 0.5,
    })
  })

  test.each([
    ['has no end', data(role) + DONE],
    ['has no [DONE]', data(role, end)],
    ['ends within an event', data(role, end).slice(0, -1)],
    ['goes on behind its end', data(role, end, role) + DONE],
    ['has no role', data(chunk({ content: 'Hi' }), end) + DONE],
    ['has a call without a number', data(role, chunk({ tool_calls: [{ ...call, index: undefined }] }), end) + DONE],
    ['has a call without an id', data(role, chunk({ tool_calls: [{ ...call, id: '' }] }), end) + DONE],
    [
      'has an input that is an object',
      data(role, chunk({ tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] }), end) + DONE,
    ],
    [
      'has an input that is no JSON',
      data(role, chunk({ tool_calls: [{ ...call, function: { name: 'f', arguments: '{' } }] }), end) + DONE,
    ],
    ['tells no charge', data(role, chunk({}, 'stop')) + DONE],
    ['has an error without a code', data(role, { error: { message: 'x', type: 'y' } }) + DONE],
    ['has ended and failed', data(role, end, { error: { message: 'x', type: 'y', code: 'z' } }) + DONE],
    ['is no JSON', `data: {\n\n${DONE}`],
  ])('that %s is refused', (_what, body) => {
    expect(() => readStreamedChat(body, 'm', false)).toThrow(UnreadableError)
  })
})

test('a whole chat whose total is no sum is refused', () => {
  const body = {
    ...{ ...head, object: 'chat.completion', ...SVC },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 3 },
  }
  expect(() => readWholeChat(JSON.stringify(body), 'm')).toThrow(/no sum/)
  expect(readWholeChat(JSON.stringify({ ...body, usage: { ...body.usage, total_tokens: 2 } }), 'm').text).toBe('Hi')
})

const counted = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0, input_tokens: 1, output_tokens: 1 }
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null }
const start = { type: 'message_start', message }
const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }
const stop = { type: 'content_block_stop', index: 0 }
const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: counted, ...SVC }
const over = { type: 'message_stop', ...SVC }

describe('a streamed message', () => {
  test('that is right is read', () => {
    const read = readStreamedMessage(named(start, block, delta, stop, ended, over), 'm')
    expect(read).toMatchObject({ ends: 'whole', text: 'Hi', usage: [1, 1], credits: 0.5 })
  })

  test.each<[string, readonly Json[]]>([
    ['has no end', [start, block, delta, stop, ended]],
    ['has a block without an end', [start, block, delta, ended, over]],
    ['has a block within another', [start, block, block, delta, stop, ended, over]],
    [
      'has a delta of another kind',
      [start, block, { ...delta, delta: { type: 'thinking_delta', thinking: 'x' } }, stop, ended, over],
    ],
    ['has a delta without a block', [start, delta, ended, over]],
    ['has an unknown reason', [start, block, delta, stop, { ...ended, delta: { stop_reason: 'stop' } }, over]],
    ['goes on behind an error', [start, { type: 'error', error: { type: 'x', message: 'y' } }, over]],
  ])('that %s is refused', (_what, events) => {
    expect(() => readStreamedMessage(named(...events), 'm')).toThrow(UnreadableError)
  })
})

describe('a streamed response', () => {
  const item = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
  }
  const done = { ...item, status: 'completed' }
  const usage = {
    ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  }
  const response = {
    ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'm', error: null, incomplete_details: null },
    ...{ status: 'completed', output: [done], usage },
  }
  const events: readonly Json[] = [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
    { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', delta: 'Hi' },
    { type: 'response.output_text.done', output_index: 0, item_id: 'msg_1', text: 'Hi' },
    { type: 'response.output_item.done', output_index: 0, item: done },
    { type: 'response.completed', response, ...SVC },
  ]
  const inOrder = (list: readonly Json[]): string =>
    named(...list.map((event, at) => ({ ...event, sequence_number: at })))
  const without = (at: number): readonly Json[] => events.filter((_event, index) => index !== at)
  const changed = (at: number, more: Json): readonly Json[] =>
    events.map((event, index) => (index === at ? { ...event, ...more } : event))

  test('that is right is read', () => {
    expect(readStreamedResponse(inOrder(events), 'm')).toMatchObject({ ends: 'whole', text: 'Hi', credits: 0.5 })
  })

  test.each([
    ['has no end', without(5)],
    ['has an item without an end', without(4)],
    ['has a delta without an item', without(1)],
    ['ends in another text than came', changed(3, { text: 'Ho' })],
    ['has another output than its items', changed(5, { response: { ...response, output: [] } })],
    ['has another status than its end', changed(5, { type: 'response.incomplete' })],
    [
      'has an error and an ordinary end',
      [...events.slice(0, 5), { type: 'error', code: 'x', message: 'y' }, events[5] as Json],
    ],
  ])('that %s is refused', (_what, list) => {
    expect(() => readStreamedResponse(inOrder(list), 'm')).toThrow(UnreadableError)
  })

  test('whose numbers leave one out is refused', () => {
    const list = events.map((event, at) => ({ ...event, sequence_number: at * 2 }))
    expect(() => readStreamedResponse(named(...list), 'm')).toThrow(UnreadableError)
  })
})
