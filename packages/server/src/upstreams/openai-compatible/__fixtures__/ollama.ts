import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'chatcmpl-693', created: 1_795_000_005, model: 'qwen3:8b', system_fingerprint: 'fp_ollama' }
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] },
})
const usage = { prompt_tokens: 26, completion_tokens: 14, total_tokens: 40 }
const call = (id: string, zone: string) => ({
  ...{ id, index: 0, type: 'function', function: { name: 'clock', arguments: `{"zone":"${zone}"}` } },
})

export const ollama: PublicServer = {
  server: 'Ollama',
  source: 'https://docs.ollama.com/openai, ollama/ollama#4357 (an empty finish reason), #15457 (one index for all)',
  answers: [
    {
      name: 'a role and an empty finish reason with each chunk',
      events: eventsOf(
        chunk({ role: 'assistant', content: 'No' }, ''),
        chunk({ role: 'assistant', content: 'on.' }, ''),
        chunk({ role: 'assistant', content: '' }, 'stop'),
        DONE,
      ),
      reads: { text: 'Noon.' },
      tokens: null,
    },
    {
      name: 'two calls with one number',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage },
        choices: [
          {
            ...{ index: 0, finish_reason: 'tool_calls' },
            message: { role: 'assistant', content: '', tool_calls: [call('call_7', 'UTC'), call('call_8', 'CET')] },
          },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', content: '', tool_calls: [call('call_7', 'UTC')] }),
        chunk({ role: 'assistant', content: '', tool_calls: [call('call_8', 'CET')] }),
        chunk({ role: 'assistant', content: '' }, 'stop'),
        { ...head, object: 'chat.completion.chunk', choices: [], usage },
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
      tokens: [26, 0, 14],
    },
    {
      name: 'reasoning beside empty content',
      events: eventsOf(
        chunk({ role: 'assistant', content: '', reasoning: 'Twelve.' }),
        chunk({ role: 'assistant', content: 'Noon.' }),
        chunk({ role: 'assistant', content: '' }, 'stop'),
        { ...head, object: 'chat.completion.chunk', choices: [], usage },
        DONE,
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [26, 0, 14],
    },
  ],
  failures: [
    {
      name: 'a model that it does not have',
      status: 404,
      whole: json({ error: { message: 'model "x" not found, try pulling it first', type: 'api_error', param: null, code: null } }),
      code: 'model_not_found',
    },
  ],
}
