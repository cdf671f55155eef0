import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'chatcmpl-fdd', created: 1_795_000_018, model: 'qwen-plus', system_fingerprint: null }
const usage = { prompt_tokens: 160, completion_tokens: 24, total_tokens: 184, prompt_tokens_details: { cached_tokens: 0 } }
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ choices: [{ delta, finish_reason, index: 0, logprobs: null }], object: 'chat.completion.chunk', usage: null },
  ...head,
})
const piece = (id: string, named: object) => ({
  content: null,
  tool_calls: [{ function: named, index: 0, id, type: 'function' }],
})

export const dashscope: PublicServer = {
  server: 'Alibaba Model Studio',
  source: 'https://www.alibabacloud.com/help/en/model-studio/qwen-function-calling, deepset-ai/haystack#9581 (a piece with nothing)',
  answers: [
    {
      name: 'a call whose later pieces have an empty id, and one that says nothing',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage },
        choices: [
          {
            ...{ finish_reason: 'tool_calls', index: 0, logprobs: null },
            message: {
              ...{ content: '', role: 'assistant', reasoning_content: '' },
              tool_calls: [{ index: 0, function: { arguments: '{"zone": "UTC"}', name: 'clock' }, id: 'call_6c', type: 'function' }],
            },
          },
        ],
      }),
      events: eventsOf(
        chunk({ content: '', role: 'assistant', reasoning_content: null }),
        chunk(piece('call_6c', { name: 'clock', arguments: '' })),
        chunk(piece('', { arguments: '{"zone": ' })),
        chunk(piece('', { arguments: '"UTC"}' })),
        chunk(piece('', { name: null, arguments: null })),
        chunk({ content: '' }, 'tool_calls'),
        { choices: [], object: 'chat.completion.chunk', usage, ...head },
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone": "UTC"}']], finish: 'tool_calls' },
      tokens: [160, 0, 24],
    },
  ],
  failures: [
    {
      name: 'an account in arrears',
      status: 400,
      whole: json({
        error: { code: 'Arrearage', param: null, message: 'Access denied, please make sure your account is in good standing.', type: 'Arrearage' },
        request_id: 'r-1',
      }),
      code: 'upstream_unavailable',
    },
    {
      name: 'content that it has looked at',
      status: 400,
      whole: json({ error: { code: 'data_inspection_failed', message: 'Input data may contain inappropriate content.', type: 'data_inspection_failed' } }),
      code: 'content_policy_violation',
    },
  ],
}
