import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'kA2', created: 1_795_000_002, model: 'gemini-3-flash', object: 'chat.completion.chunk' }
const chunk = (delta: object, more: object = {}) => ({ choices: [{ delta, index: 0, ...more }], ...head })
const usage = { completion_tokens: 22, prompt_tokens: 90, total_tokens: 131 }
const signed = { extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } } }
const call = (id: string, zone: string) => ({
  ...{ function: { arguments: `{"zone":"${zone}"}`, name: 'clock' }, id, type: 'function' },
})

export const geminiCompatible: PublicServer = {
  server: 'Gemini, through its OpenAI-compatible endpoint',
  source: 'https://ai.google.dev/gemini-api/docs/openai, open-webui/computer#224, THU-MAIC/OpenMAIC#1556, cherry-studio#6110',
  answers: [
    {
      name: 'calls without numbers, the first one signed, that end with stop',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage: { ...usage, total_tokens: 112 } },
        choices: [
          {
            ...{ finish_reason: 'stop', index: 0 },
            message: { role: 'assistant', tool_calls: [{ ...signed, ...call('f-1', 'UTC') }, call('f-2', 'CET')] },
          },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', tool_calls: [{ ...signed, ...call('f-1', 'UTC') }] }),
        chunk({ role: 'assistant', tool_calls: [call('f-2', 'CET')] }),
        { ...chunk({ role: 'assistant' }, { finish_reason: 'stop' }), usage: { ...usage, total_tokens: 112 } },
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
      tokens: [90, 0, 22],
    },
    {
      name: 'a call in pieces without numbers, and its signature alone behind it',
      events: eventsOf(
        chunk({ role: 'assistant', tool_calls: [{ function: { arguments: '{"zo', name: 'clock' }, id: 'f-3', type: 'function' }] }),
        chunk({ tool_calls: [{ function: { arguments: 'ne":"UTC"}' } }] }),
        chunk({ tool_calls: [{ ...signed, id: 'f-3' }] }),
        { ...chunk({ role: 'assistant' }, { finish_reason: 'stop' }), usage: { ...usage, total_tokens: 112 } },
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [90, 0, 22],
    },
    {
      name: 'text whose last chunk is a signature',
      events: eventsOf(
        chunk({ role: 'assistant', content: 'No' }),
        chunk({ role: 'assistant', content: 'on.' }),
        chunk({ role: 'assistant', content: '', ...signed }, { finish_reason: 'stop' }),
        { ...head, choices: [], usage: { ...usage, total_tokens: 112 } },
        DONE,
      ),
      reads: { text: 'Noon.' },
      tokens: [90, 0, 22],
    },
  ],
  failures: [
    {
      name: 'a key that is not valid, in a list',
      status: 400,
      whole: json([
        {
          error: {
            ...{ code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
            details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
          },
        },
      ]),
      code: 'upstream_unavailable',
    },
    {
      name: 'a quota that is used up',
      status: 429,
      whole: json([{ error: { code: 429, message: 'You exceeded your quota.', status: 'RESOURCE_EXHAUSTED' } }]),
      code: 'server_is_overloaded',
    },
  ],
}
