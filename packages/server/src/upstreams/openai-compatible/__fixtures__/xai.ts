import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'a3d1', created: 1_795_000_010, model: 'grok-4', system_fingerprint: 'fp_aa6' }
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...{ ...head, object: 'chat.completion.chunk' },
  choices: [{ index: 0, delta, ...(finish_reason === null ? {} : { finish_reason }) }],
  ...more,
})
const usage = {
  ...{ prompt_tokens: 32, completion_tokens: 9, total_tokens: 141, num_sources_used: 0 },
  prompt_tokens_details: { text_tokens: 32, audio_tokens: 0, image_tokens: 0, cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 100, audio_tokens: 0, accepted_prediction_tokens: 0 },
}
const call = { id: 'call_37', function: { name: 'clock', arguments: '{"zone":"UTC"}' }, type: 'function' }

export const xai: PublicServer = {
  server: 'xAI',
  source: 'https://docs.x.ai/docs/guides/reasoning, UKGovernmentBEIS/inspect_ai#5528, Wei-Shaw/sub2api#5771 (reasoning counted apart)',
  answers: [
    {
      name: 'reasoning that is counted apart from the rest',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage, citations: null },
        choices: [
          {
            ...{ index: 0, finish_reason: 'stop' },
            message: { role: 'assistant', content: 'Noon.', reasoning_content: 'Twelve.', refusal: null },
          },
        ],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', reasoning_content: 'Twelve.' }),
        chunk({ content: 'Noon.' }),
        chunk({ content: '' }, 'stop'),
        { ...head, object: 'chat.completion.chunk', choices: [], usage },
        DONE,
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [32, 8, 109],
    },
    {
      name: 'a call at once, and a cost in ticks',
      events: eventsOf(
        chunk({ role: 'assistant', content: '', tool_calls: [{ ...call, index: 0 }] }),
        chunk({}, 'stop'),
        { ...head, object: 'chat.completion.chunk', choices: [], usage: { ...usage, cost_in_usd_ticks: 3_000_000 } },
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [32, 8, 109],
      cost: '0.0003',
    },
  ],
  failures: [
    {
      name: 'a key that is not valid, as a request that is not',
      status: 400,
      whole: json({
        code: 'Client specified an invalid argument',
        error: 'Incorrect API key provided: ab***yz. You can obtain an API key from https://console.x.ai.',
      }),
      code: 'upstream_unavailable',
    },
  ],
}
