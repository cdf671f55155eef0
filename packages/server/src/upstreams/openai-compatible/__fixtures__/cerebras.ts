import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'chatcmpl-e9', created: 1_795_000_014, model: 'gpt-oss-120b', system_fingerprint: 'fp_7c2' }
const measured = { time_info: { queue_time: 0.0001, prompt_time: 0.002, completion_time: 0.01, total_time: 0.02, created: 1_795_000_014 } }
const usage = { prompt_tokens: 70, completion_tokens: 33, total_tokens: 103, prompt_tokens_details: { cached_tokens: 0 } }
const chunk = (delta: object, more: object = {}) => ({
  ...{ ...head, object: 'chat.completion.chunk', choices: [{ delta, index: 0, ...more }] },
})

export const cerebras: PublicServer = {
  server: 'Cerebras',
  source: 'https://inference-docs.cerebras.ai/api-reference/chat-completions, https://inference-docs.cerebras.ai/support/error',
  answers: [
    {
      name: 'usage and its own times with the end, and no finish reason until then',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage, ...measured },
        choices: [
          { finish_reason: 'stop', index: 0, message: { content: 'Noon.', reasoning: 'Twelve.', role: 'assistant' } },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant' }),
        chunk({ reasoning: 'Twelve.' }),
        chunk({ content: 'Noon.' }),
        { ...chunk({}, { finish_reason: 'stop' }), usage, ...measured },
        DONE,
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [70, 0, 33],
    },
  ],
  failures: [
    {
      name: 'a key that is wrong',
      status: 401,
      whole: json({ message: 'Wrong API Key', type: 'invalid_request_error', param: 'api_key', code: 'wrong_api_key' }),
      code: 'upstream_unavailable',
    },
    {
      name: 'a queue that is full',
      status: 429,
      whole: json({ message: 'We are experiencing high traffic.', type: 'too_many_requests_error', param: 'queue', code: 'queue_exceeded' }),
      code: 'server_is_overloaded',
    },
  ],
}
