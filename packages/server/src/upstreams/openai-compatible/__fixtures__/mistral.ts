import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: '0b4f', created: 1_795_000_008, model: 'magistral-small' }
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...{ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...more, p: 'abcdef' },
})
const usage = { prompt_tokens: 12, total_tokens: 39, completion_tokens: 27, num_cached_tokens: 0 }
const thinking = (text: string) => [{ type: 'thinking', thinking: [{ type: 'text', text }] }]
const call = { id: 'D681PevKs', function: { name: 'clock', arguments: '{"zone": "UTC"}' } }

export const mistral: PublicServer = {
  server: 'Mistral',
  source: 'https://docs.mistral.ai/capabilities/reasoning/, https://docs.mistral.ai/api/, braintrustdata/braintrust-sdk-javascript#1857',
  answers: [
    {
      name: 'thoughts in the parts of the content',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage },
        choices: [
          {
            ...{ index: 0, finish_reason: 'stop' },
            message: {
              ...{ role: 'assistant', tool_calls: null },
              content: [...thinking('Twelve.'), { type: 'text', text: 'Noon.' }],
            },
          },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: thinking('Twel') }),
        chunk({ content: thinking('ve.') }),
        chunk({ content: [{ type: 'text', text: 'No' }] }),
        chunk({ content: 'on.' }),
        chunk({ content: '' }, 'stop', { usage }),
        DONE,
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [12, 0, 27],
    },
    {
      name: 'a call without a type, whole, with the end and the usage',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage },
        choices: [
          { index: 0, message: { role: 'assistant', tool_calls: [{ ...call, index: 0 }], content: '' }, finish_reason: 'tool_calls' },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: '', tool_calls: [{ ...call, index: 0 }] }, 'tool_calls', { usage }),
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone": "UTC"}']], finish: 'tool_calls' },
      tokens: [12, 0, 27],
    },
    {
      name: 'an end by the length of its model',
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'No' }),
        chunk({ content: '' }, 'model_length', { usage }),
        DONE,
      ),
      reads: { text: 'No', finish: 'length' },
      tokens: [12, 0, 27],
    },
  ],
  failures: [
    {
      name: 'a field that it does not know',
      status: 422,
      whole: json({ detail: [{ type: 'extra_forbidden', loc: ['body', 'x'], msg: 'Extra inputs are not permitted', input: 1 }] }),
      code: 'upstream_rejected_request',
    },
    {
      name: 'a capacity that is used up',
      status: 429,
      whole: json({
        ...{ object: 'error', message: 'Service tier capacity exceeded for this model.' },
        ...{ type: 'service_tier_capacity_exceeded', param: null, code: '3505' },
      }),
      code: 'server_is_overloaded',
    },
  ],
}
