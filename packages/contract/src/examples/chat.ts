import type { chatEndpoints } from '../endpoints/chat.ts'
import { CREATED, type ExampleTable, REQUEST_ID } from './example.ts'

const CHAT_ID = `chatcmpl-${REQUEST_ID}`

const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500, cost: 0.000021 }
const svc = { credits_charged: 0.021, margin_bps: 2_000 }
const chunk = { id: CHAT_ID, object: 'chat.completion.chunk', created: CREATED, model: 'svc-opus' }
const textCompletion = { id: `cmpl-${REQUEST_ID}`, object: 'text_completion', created: CREATED, model: 'svc-opus' }

const RESPONSE_ID = `resp_${REQUEST_ID.replaceAll('-', '')}`
const responseUsage = {
  input_tokens: 1_000,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 500,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1_500,
  cost: 0.000021,
}
const response = { id: RESPONSE_ID, object: 'response', created_at: CREATED, model: 'svc-opus' }
const output = [
  {
    id: `msg_${REQUEST_ID.replaceAll('-', '')}_0`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hello.', annotations: [], logprobs: [] }],
  },
]

const message = {
  id: `msg_${REQUEST_ID.replaceAll('-', '')}`,
  type: 'message',
  role: 'assistant',
  model: 'svc-opus',
  stop_sequence: null,
}
const messageUsage = {
  input_tokens: 1_000,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  output_tokens: 500,
  output_tokens_details: { thinking_tokens: 0 },
  cost: 0.000021,
}

const inputItem = `item_${'0'.repeat(32)}_0`

export const chatExamples: ExampleTable<typeof chatEndpoints> = {
  createChatCompletion: {
    body: { model: 'svc-opus', messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 500 },
    reply: {
      id: CHAT_ID,
      object: 'chat.completion',
      created: CREATED,
      model: 'svc-opus',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello.', refusal: null },
          finish_reason: 'stop',
          logprobs: null,
        },
      ],
      usage,
      svc,
    },
    events: [
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: { content: 'Hello.' }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], svc },
    ],
  },
  createCompletion: {
    body: { model: 'svc-opus', prompt: 'Say hello.', max_tokens: 500 },
    reply: {
      ...textCompletion,
      choices: [{ index: 0, text: 'Hello.', finish_reason: 'stop', logprobs: null }],
      usage,
      svc,
    },
    events: [
      { ...textCompletion, choices: [{ index: 0, text: 'Hello.', finish_reason: null, logprobs: null }] },
      { ...textCompletion, choices: [{ index: 0, text: '', finish_reason: 'stop', logprobs: null }], svc },
    ],
  },
  createResponse: {
    body: { model: 'svc-opus', input: 'Say hello.', max_output_tokens: 500 },
    reply: { ...response, status: 'completed', output, usage: responseUsage, svc },
    events: [
      {
        type: 'response.created',
        sequence_number: 0,
        response: { ...response, status: 'in_progress', output: [], usage: null },
      },
      {
        type: 'response.output_text.delta',
        sequence_number: 4,
        item_id: output[0]?.id,
        output_index: 0,
        content_index: 0,
        delta: 'Hello.',
        logprobs: [],
      },
      {
        type: 'response.completed',
        sequence_number: 8,
        response: { ...response, status: 'completed', output, usage: responseUsage, svc },
        svc,
      },
    ],
  },
  getResponse: {
    reply: { ...response, status: 'completed', output, usage: responseUsage, svc },
  },
  deleteResponse: {
    reply: { id: response.id, object: 'response', deleted: true },
  },
  listResponseInputItems: {
    reply: {
      object: 'list',
      data: [{ id: inputItem, type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hello.' }] }],
      ...{ first_id: inputItem, last_id: inputItem, has_more: false },
    },
  },
  countResponseTokens: {
    body: { model: 'svc-opus', input: 'Say hello.' },
    reply: { object: 'response.input_tokens', input_tokens: 12, svc: { estimated: true } },
  },
  createMessage: {
    body: { model: 'svc-opus', max_tokens: 500, messages: [{ role: 'user', content: 'Say hello.' }] },
    reply: {
      ...message,
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      usage: messageUsage,
      svc,
    },
    events: [
      {
        type: 'message_start',
        message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 0, output_tokens: 0 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: messageUsage, svc },
      { type: 'message_stop', svc },
    ],
  },
  countMessageTokens: {
    body: { model: 'svc-opus', messages: [{ role: 'user', content: 'Say hello.' }] },
    reply: { input_tokens: 12, svc: { estimated: true } },
  },
}
