import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: '5d2c', created: 1_795_000_007, model: 'deepseek-reasoner', system_fingerprint: 'fp_1c14' }
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...{ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason }] },
  ...more,
})
const usage = {
  ...{ prompt_tokens: 64, completion_tokens: 21, total_tokens: 85, prompt_tokens_details: { cached_tokens: 40 } },
  ...{ completion_tokens_details: { reasoning_tokens: 12 }, prompt_cache_hit_tokens: 40, prompt_cache_miss_tokens: 24 },
}
const alive = ': keep-alive\n\n'

export const deepseek: PublicServer = {
  server: 'DeepSeek',
  source:
    'https://api-docs.deepseek.com/api/create-chat-completion, https://api-docs.deepseek.com/quick_start/rate_limit (signs of life), ' +
    'https://api-docs.deepseek.com/quick_start/error_codes',
  answers: [
    {
      name: 'blanks and comments while it waits, and content that is null while it reasons',
      whole: `\n\n\n${json({
        ...{ ...head, object: 'chat.completion', usage },
        choices: [
          {
            ...{ index: 0, logprobs: null, finish_reason: 'stop' },
            message: { role: 'assistant', content: 'Noon.', reasoning_content: 'Twelve.' },
          },
        ],
      })}`,
      events: eventsOf(
        alive,
        alive,
        chunk({ role: 'assistant', content: null, reasoning_content: '' }),
        chunk({ content: null, reasoning_content: 'Twelve.' }),
        alive,
        chunk({ content: 'Noon.', reasoning_content: null }),
        chunk({ content: '', reasoning_content: null }, 'stop', { usage }),
        DONE,
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [64, 40, 21],
    },
    {
      name: 'a call',
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }),
        chunk({ tool_calls: [{ index: 0, id: 'call_0_1', type: 'function', function: { name: 'clock', arguments: '' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"zone' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '":"UTC"}' } }] }),
        chunk({ content: '' }, 'tool_calls', { usage }),
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [64, 40, 21],
    },
  ],
  failures: [
    {
      name: 'a balance that is used up',
      status: 402,
      whole: json({ error: { message: 'Insufficient Balance', type: 'unknown_error', param: null, code: 'invalid_request_error' } }),
      code: 'upstream_unavailable',
    },
    {
      name: 'a field that it does not know',
      status: 422,
      whole: 'Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `developer`',
      code: 'upstream_rejected_request',
    },
  ],
}
