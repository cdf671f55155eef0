import type { chatEndpoints } from '../endpoints/chat.ts'
import { CREATED, type ExampleTable, REQUEST_ID } from './example.ts'

const CHAT_ID = `chatcmpl-${REQUEST_ID}`

const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500, cost: 0.000021 }
const svc = { credits_charged: 0.021, margin_bps: 2_000 }
const chunk = { id: CHAT_ID, object: 'chat.completion.chunk', created: CREATED, model: 'svc-opus' }

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
}
