import { json, namedEventsOf, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'msg_013Z', type: 'message', role: 'assistant', model: 'claude-x', stop_sequence: null }
const counted = {
  ...{ input_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 12, service_tier: 'standard' },
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
}
const thinking = { type: 'thinking', thinking: 'Twelve.', signature: 'c2lnbmVk' }
const start = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const delta = (index: number, change: object) => ({ type: 'content_block_delta', index, delta: change })
const stop = (index: number) => ({ type: 'content_block_stop', index })
const began = { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: { ...counted, output_tokens: 1 } } }
const ended = (stop_reason: string, more: object = {}) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null, ...more }, usage: { ...counted, output_tokens: 40 } },
  { type: 'message_stop' },
]

export const anthropic: PublicServer = {
  server: 'Anthropic',
  kind: 'anthropic',
  source: 'https://docs.claude.com/en/docs/build-with-claude/streaming, https://docs.claude.com/en/api/errors',
  answers: [
    {
      name: 'thinking with its signature, and a ping in between',
      whole: json({
        ...{ ...head, content: [thinking, { type: 'text', text: 'Noon.' }], stop_reason: 'end_turn' },
        usage: { ...counted, output_tokens: 40 },
      }),
      events: namedEventsOf(
        began,
        start(0, { type: 'thinking', thinking: '', signature: '' }),
        { type: 'ping' },
        delta(0, { type: 'thinking_delta', thinking: 'Twelve.' }),
        delta(0, { type: 'signature_delta', signature: 'c2lnbmVk' }),
        stop(0),
        start(1, { type: 'text', text: '' }),
        delta(1, { type: 'text_delta', text: 'No' }),
        delta(1, { type: 'text_delta', text: 'on.' }),
        stop(1),
        ...ended('end_turn'),
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [32, 12, 40],
    },
    {
      name: 'text and a call whose first piece of input is empty',
      whole: json({
        ...head,
        content: [
          { type: 'text', text: 'Ask.' },
          { type: 'tool_use', id: 'toolu_01A', name: 'clock', input: { zone: 'UTC' } },
        ],
        stop_reason: 'tool_use',
        usage: { ...counted, output_tokens: 40 },
      }),
      events: namedEventsOf(
        began,
        start(0, { type: 'text', text: '' }),
        delta(0, { type: 'text_delta', text: 'Ask.' }),
        stop(0),
        start(1, { type: 'tool_use', id: 'toolu_01A', name: 'clock', input: {} }),
        delta(1, { type: 'input_json_delta', partial_json: '' }),
        delta(1, { type: 'input_json_delta', partial_json: '{"zone":' }),
        delta(1, { type: 'input_json_delta', partial_json: '"UTC"}' }),
        stop(1),
        ...ended('tool_use'),
      ),
      reads: { text: 'Ask.', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [32, 12, 40],
    },
  ],
  failures: [
    {
      name: 'an overload before the first block',
      events: namedEventsOf(began, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as never),
      code: 'server_is_overloaded',
    },
    {
      name: 'credit that is used up, as a request that is not valid',
      status: 400,
      whole: json({
        ...{ type: 'error', request_id: 'req_01' },
        error: {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
        },
      }),
      code: 'upstream_unavailable',
    },
  ],
}
