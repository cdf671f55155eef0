import type { chatEndpoints } from '../endpoints/chat.ts'
import { CREATED, type ExampleTable, REQUEST_ID } from './example.ts'

const CHAT_ID = `chatcmpl-${REQUEST_ID}`

const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500, cost: 0.000021 }
const svc = { credits_charged: 0.021, margin_bps: 2_000 }
const chunk = { id: CHAT_ID, object: 'chat.completion.chunk', created: CREATED, model: 'svc-opus' }

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
}
