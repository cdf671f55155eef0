import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'nz7-4yU', created: 1_795_000_012, model: 'meta-llama/Llama-3.3-70B', object: 'chat.completion.chunk' }
const usage = { prompt_tokens: 44, completion_tokens: 8, total_tokens: 52, cached_tokens: 0 }
const chunk = (text: string, delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...head,
  choices: [{ index: 0, text, logprobs: null, finish_reason, seed: null, delta: { token_id: 9, role: 'assistant', content: text, tool_calls: [], ...delta } }],
  ...{ usage: null, ...more },
})

export const together: PublicServer = {
  server: 'Together AI',
  source: 'https://docs.together.ai/reference/chat-completions-1, togethercomputer/together-python',
  answers: [
    {
      name: 'the text twice in each chunk, empty calls, and an end of its own',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage, prompt: [] },
        choices: [
          {
            ...{ index: 0, seed: 12_345_678_901_234, finish_reason: 'eos', logprobs: null },
            message: { role: 'assistant', content: 'Noon.', tool_calls: [] },
          },
        ],
      }),
      events: eventsOf(chunk('No', {}), chunk('on.', {}), chunk('', { token_id: 128_009 }, 'eos', { usage }), DONE),
      reads: { text: 'Noon.' },
      tokens: [44, 0, 8],
    },
    {
      name: 'a call whose pieces say their type again',
      events: eventsOf(
        chunk('', {
          content: null,
          tool_calls: [{ index: 0, id: 'call_9v', type: 'function', function: { name: 'clock', arguments: '' } }],
        }),
        chunk('', {
          content: null,
          tool_calls: [{ index: 0, id: null, type: 'function', function: { name: null, arguments: '{"zone":"UTC"}' } }],
        }),
        chunk('', {}, 'tool_calls', { usage }),
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [44, 0, 8],
    },
  ],
  failures: [
    {
      name: 'too many requests',
      status: 429,
      whole: json({ id: 'o1', error: { message: 'You have reached the rate limit.', type: 'model_rate_limit', param: null, code: null } }),
      code: 'server_is_overloaded',
    },
  ],
}
