import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'chatcmpl-p1k', created: 1_795_000_006, model: 'openai/gpt-oss-20b', system_fingerprint: 'openai/gpt-oss-20b' }
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason }] },
})
const usage = { prompt_tokens: 72, completion_tokens: 15, total_tokens: 87 }

export const lmStudio: PublicServer = {
  server: 'LM Studio',
  source: 'https://lmstudio.ai/docs/developer/openai-compat/tools, lmstudio-ai/lmstudio-bug-tracker#2255',
  answers: [
    {
      name: 'a call in pieces, with an empty object of statistics',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage, stats: {} },
        choices: [
          {
            ...{ index: 0, logprobs: null, finish_reason: 'tool_calls' },
            message: {
              ...{ role: 'assistant', content: '', reasoning: 'Ask.' },
              tool_calls: [{ type: 'function', id: '365174485', function: { name: 'clock', arguments: '{"zone":"UTC"}' } }],
            },
          },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', reasoning: 'Ask.' }),
        chunk({ tool_calls: [{ index: 0, id: '365174485', type: 'function', function: { name: 'clock', arguments: '' } }] }),
        chunk({ tool_calls: [{ index: 0, type: 'function', function: { name: '', arguments: '{"zone":"U' } }] }),
        chunk({ tool_calls: [{ index: 0, type: 'function', function: { name: '', arguments: 'TC"}' } }] }),
        chunk({}, 'tool_calls'),
        { ...head, object: 'chat.completion.chunk', choices: [], usage },
        DONE,
      ),
      reads: { text: '', reasoning: 'Ask.', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [72, 0, 15],
    },
  ],
  failures: [
    {
      name: 'an event that is called an error',
      events: `event: error\ndata: ${json({ error: { message: 'The model has crashed without additional information.' } })}\n\n`,
      code: 'upstream_error',
    },
    {
      name: 'an error that is a text',
      status: 400,
      whole: json({ error: 'Trying to keep the first 9000 tokens when context the overflows.' }),
      code: 'upstream_rejected_request',
    },
  ],
}
