import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'chatcmpl-3f0c', created: 1_795_000_001, model: 'openai/gpt-oss-20b', system_fingerprint: 'fp_41ab' }
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...head,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  ...more,
})
const usage = {
  ...{ queue_time: 0.021, prompt_tokens: 141, prompt_time: 0.008, completion_tokens: 37, completion_time: 0.06 },
  ...{ total_tokens: 178, total_time: 0.068, completion_tokens_details: { reasoning_tokens: 18 } },
}
const call = { id: 'fc_9a11', type: 'function', function: { name: 'clock', arguments: '{"zone":"UTC"}' } }

export const groq: PublicServer = {
  server: 'Groq',
  source: 'https://console.groq.com/docs/api-reference#chat-create, https://console.groq.com/docs/reasoning, janhq/jan#8136',
  answers: [
    {
      name: 'reasoning, and usage under the vendor’s own key',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage, usage_breakdown: null, x_groq: { id: 'req_01' } },
        service_tier: 'on_demand',
        choices: [
          {
            ...{ index: 0, logprobs: null, finish_reason: 'stop' },
            message: { role: 'assistant', content: 'Noon.', reasoning: 'Twelve is noon.' },
          },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }, null, { x_groq: { id: 'req_01', seed: 7 } }),
        chunk({ reasoning: 'Twelve', channel: 'analysis' }),
        chunk({ reasoning: ' is noon.', channel: 'analysis' }),
        chunk({ content: 'Noon.' }),
        chunk({}, 'stop', { x_groq: { id: 'req_01', usage } }),
        DONE,
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve is noon.' },
      tokens: [141, 0, 37],
    },
    {
      name: 'a call at once, and usage twice',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage, x_groq: { id: 'req_02' } },
        choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', tool_calls: [call] } }],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', content: null }, null, { x_groq: { id: 'req_02' } }),
        chunk({ tool_calls: [{ ...call, index: 0 }] }),
        chunk({}, 'tool_calls', { x_groq: { id: 'req_02', usage }, usage }),
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [141, 0, 37],
    },
  ],
  failures: [
    {
      name: 'a call that could not be made',
      status: 400,
      whole: json({
        error: {
          ...{ message: 'Failed to call a function.', type: 'invalid_request_error', code: 'tool_use_failed' },
          failed_generation: '<function=clock>{"zone"',
        },
      }),
      code: 'upstream_rejected_request',
    },
    {
      name: 'an error under the vendor’s own key',
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }, null, { x_groq: { id: 'req_03' } }),
        { ...head, object: 'chat.completion.chunk', choices: [], x_groq: { id: 'req_03', error: 'over capacity' } },
        DONE,
      ),
      code: 'upstream_error',
    },
  ],
}
