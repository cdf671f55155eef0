import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'chatcmpl-7d1e', created: 1_795_000_003, model: 'qwen3-30b', object: 'chat.completion.chunk' }
const count = (completion_tokens: number) => ({
  usage: { prompt_tokens: 31, total_tokens: 31 + completion_tokens, completion_tokens },
})
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason, ...(finish_reason === null ? {} : { stop_reason: null }) }],
  ...more,
})
const none = { prompt_logprobs: null, prompt_token_ids: null, kv_transfer_params: null }
const piece = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })

export const vllm: PublicServer = {
  server: 'vLLM',
  source: 'https://docs.vllm.ai/en/latest/features/reasoning_outputs/, vllm-project/vllm-omni#2313, vllm-project/vllm#40986, #6652',
  answers: [
    {
      name: 'usage with each chunk',
      whole: json({
        ...{ ...head, object: 'chat.completion', service_tier: null, system_fingerprint: null, ...none },
        choices: [
          {
            ...{ index: 0, logprobs: null, finish_reason: 'stop', stop_reason: null, token_ids: null },
            message: {
              ...{ role: 'assistant', content: 'Noon.', refusal: null, annotations: null, audio: null },
              ...{ function_call: null, tool_calls: [], reasoning: 'Twelve.', reasoning_content: 'Twelve.' },
            },
          },
        ],
        usage: { ...count(9).usage, prompt_tokens_details: null },
      }),
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }, null, { ...count(0), prompt_token_ids: null }),
        chunk({ reasoning: 'Twel', reasoning_content: 'Twel' }, null, count(2)),
        chunk({ reasoning: 've.', reasoning_content: 've.' }, null, count(4)),
        chunk({ content: 'Noon' }, null, count(7)),
        chunk({ content: '.' }, 'stop', count(9)),
        { ...head, choices: [], ...count(9) },
        DONE,
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [31, 0, 9],
    },
    {
      name: 'a call whose name comes before its input, which ends in an empty piece',
      whole: json({
        ...{ ...head, object: 'chat.completion', ...count(19) },
        choices: [
          {
            ...{ index: 0, logprobs: null, finish_reason: 'tool_calls', stop_reason: 151_645 },
            message: {
              ...{ role: 'assistant', content: null, reasoning_content: null },
              tool_calls: [{ id: 'chatcmpl-tool-0b', type: 'function', function: { name: 'clock', arguments: '{"zone": "UTC"}' } }],
            },
          },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }),
        chunk({ tool_calls: [{ id: 'chatcmpl-tool-0b', type: 'function', index: 0, function: { name: 'clock' } }] }),
        chunk(piece('{"zone": ')),
        chunk(piece('"UTC"')),
        chunk(piece('}')),
        chunk({ content: '', ...piece('') }, 'tool_calls'),
        { ...head, choices: [], ...count(19) },
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone": "UTC"}']], finish: 'tool_calls' },
      tokens: [31, 0, 19],
    },
  ],
  failures: [
    {
      name: 'a prompt that is too long',
      status: 400,
      whole: json({
        ...{ object: 'error', type: 'BadRequestError', param: null, code: 400 },
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
      }),
      code: 'upstream_rejected_request',
    },
    {
      name: 'an engine that dies before its first token',
      events: eventsOf(
        { error: { message: 'Internal server error', type: 'InternalServerError', param: null, code: 500 } },
        DONE,
      ),
      code: 'upstream_error',
    },
  ],
}
