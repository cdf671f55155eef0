/** Right answers to a chat in OpenAI's form, whole and as events. */

export const completion = {
  id: 'gen-1',
  object: 'chat.completion',
  created: 1_795_813_200,
  model: 'stub-model',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: {
        role: 'assistant',
        content: 'Hello',
        refusal: null,
        reasoning: 'Because',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    },
  ],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    cost: 0.0001,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 1 },
  },
} as const

const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{' } } as const
const thought = { reasoning: 'Because', reasoning_details: [{ type: 'reasoning.text', text: 'x' }] } as const

export const chatChunks: readonly unknown[] = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: thought }] },
  { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
  { choices: [{ index: 0, delta: { refusal: 'No.', annotations: [{ type: 'url_citation' }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: completion.usage },
  { error: { code: 502, message: 'Provider failed' } },
]
