import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { object: 'chat.completion.chunk', id: '', created: 1_795_000_016, model: 'local/qwen', system_fingerprint: '2.4.1' }
const usage = { prompt_tokens: 200, completion_tokens: 16, total_tokens: 216 }
const chunk = (delta: object, finish_reason: string | null = null, told: object | null = null) => ({
  ...{ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: told },
})
/** The only call, which has no list around it, and its name in the first piece alone. */
const piece = (name: string | null, text: string) => ({
  role: 'assistant',
  tool_calls: { index: 0, id: '', type: 'function', function: { name, arguments: text } },
})

export const tgi: PublicServer = {
  server: 'Text Generation Inference',
  source: 'huggingface/text-generation-inference#2794, #1427; spring-projects/spring-ai#4900 (ends of its own)',
  answers: [
    {
      name: 'a call without a list, in pieces with neither id nor name',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage },
        choices: [
          {
            ...{ index: 0, logprobs: null, finish_reason: 'stop' },
            message: {
              role: 'assistant',
              tool_calls: [{ id: '0', type: 'function', function: { description: null, name: 'clock', arguments: { zone: 'UTC' } } }],
            },
          },
        ],
      }),
      events: eventsOf(
        chunk(piece('clock', '')),
        chunk(piece(null, '{"zo')),
        chunk(piece(null, 'ne":"UTC"')),
        chunk(piece(null, '}')),
        chunk({ role: 'assistant', content: '' }, 'stop', usage),
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [200, 0, 16],
    },
    {
      name: 'text with an empty id and an end of its own',
      events: eventsOf(
        chunk({ role: 'assistant', content: 'No' }),
        chunk({ role: 'assistant', content: 'on.' }),
        chunk({ role: 'assistant', content: '' }, 'eos_token'),
        { ...head, choices: [], usage },
        DONE,
      ),
      reads: { text: 'Noon.' },
      tokens: [200, 0, 16],
    },
  ],
  failures: [
    {
      name: 'an error as an event',
      events: eventsOf({ error: 'Request failed during generation: Server error', error_type: 'generation' }),
      code: 'upstream_error',
    },
    {
      name: 'an input that is too long',
      status: 422,
      whole: json({ error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096', error_type: 'validation' }),
      code: 'upstream_rejected_request',
    },
  ],
}
