import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'c8d0', created: 1_795_000_013, model: 'accounts/fireworks/models/qwen3' }
const usage = { prompt_tokens: 51, total_tokens: 66, completion_tokens: 15, prompt_tokens_details: { cached_tokens: 32 } }
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...{ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] },
  ...{ usage: null, ...more },
})

export const fireworks: PublicServer = {
  server: 'Fireworks',
  source: 'https://docs.fireworks.ai/api-reference/post-chatcompletions, https://docs.fireworks.ai/guides/inference-error-codes',
  answers: [
    {
      name: 'usage and its own measures with the end',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage, perf_metrics: null },
        choices: [
          {
            ...{ index: 0, finish_reason: 'stop', logprobs: null, raw_output: null, token_ids: null },
            message: { role: 'assistant', content: 'Noon.', reasoning_content: 'Twelve.', tool_calls: null },
          },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant' }),
        chunk({ reasoning_content: 'Twelve.' }),
        chunk({ content: 'Noon.' }),
        chunk({}, 'stop', { usage, perf_metrics: { 'server-time-to-first-token': 0.1 } }),
        DONE,
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [51, 32, 15],
    },
    {
      name: 'two calls in one chunk',
      events: eventsOf(
        chunk({ role: 'assistant', content: null }),
        chunk({
          tool_calls: ['UTC', 'CET'].map((zone, index) => ({
            ...{ index, id: `call_${zone}`, type: 'function', function: { name: 'clock', arguments: `{"zone":"${zone}"}` } },
          })),
        }),
        chunk({}, 'tool_calls', { usage }),
        DONE,
      ),
      reads: {
        text: '',
        calls: [
          ['clock', '{"zone":"UTC"}'],
          ['clock', '{"zone":"CET"}'],
        ],
        finish: 'tool_calls',
      },
      tokens: [51, 32, 15],
    },
  ],
  failures: [
    {
      name: 'an account that is suspended',
      status: 412,
      whole: json({
        error: {
          ...{ object: 'error', type: 'invalid_request_error', code: 'precondition_failed' },
          message:
            'Account a is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices. ' +
            'Please go to https://fireworks.ai/account/billing for more information.',
        },
      }),
      code: 'upstream_unavailable',
    },
  ],
}
