import { expect, test } from 'vitest'
import { DONE } from '../openai-compatible/chat-wire.ts'
import { AnthropicEvents } from './anthropic-events.ts'

/** What the deltas of a stream say, joined by its events. */
function deltasOf(events: readonly string[]): unknown[] {
  const reader = new AnthropicEvents()
  return events.flatMap((event) =>
    reader.read(event).flatMap((frame) => (frame === DONE ? [] : (frame['choices'] as { delta: unknown }[]))),
  )
}

const block = (content: string): string => `{"type":"content_block_start","index":0,"content_block":${content}}`
const piece = (json: string): string =>
  `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(json)}}}`
const END = '{"type":"content_block_stop","index":0}'

// Some servers in Anthropic's form send the whole block at its start.
test.each<[string, readonly string[], string]>([
  [
    'whole, with every digit',
    [block('{"type":"tool_use","id":"t","name":"f","input":{"n":12345678901234567890}}'), END],
    '{"n":12345678901234567890}',
  ],
  [
    'in pieces',
    [block('{"type":"tool_use","id":"t","name":"f","input":{}}'), piece('{"n"'), piece(':1}'), END],
    '{"n":1}',
  ],
  [
    'whole, and again in pieces',
    [block('{"type":"tool_use","id":"t","name":"f","input":{"n":1}}'), piece('{"n":1}'), END],
    '{"n":1}',
  ],
  ['not at all', [block('{"type":"tool_use","id":"t","name":"f"}'), END], '{}'],
])('the input of a call that comes %s reaches the client once', (_name, events, expected) => {
  const calls = deltasOf(events).flatMap((choice) => Reflect.get(Reflect.get(Object(choice), 'delta'), 'tool_calls'))
  expect(calls.map((call) => call.function.arguments).join('')).toBe(expected)
})

test('a thought that comes whole keeps its signature', () => {
  const thought = block('{"type":"thinking","thinking":"Hm.","signature":"SIG"}')
  expect(deltasOf([thought, END])).toMatchObject([
    { delta: { reasoning_content: 'Hm.' } },
    { delta: { reasoning_details: [{ signature: 'SIG', index: 0 }] } },
  ])
})
