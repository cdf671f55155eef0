import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { id: 'cmpl-13', created: 1_795_000_017, model: 'kimi-k2' }
const usage = { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32, cached_tokens: 10 }
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...{ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason, ...more }] },
})

export const moonshot: PublicServer = {
  server: 'Moonshot',
  source: 'https://platform.moonshot.ai/docs/guide/utilize-the-streaming-output-feature-of-kimi-api, higress-group/higress#1568, earendil-works/pi#2017',
  answers: [
    {
      name: 'usage within the last choice',
      whole: json({
        ...{ ...head, object: 'chat.completion', usage },
        choices: [{ index: 0, message: { role: 'assistant', content: 'Noon.' }, finish_reason: 'stop' }],
      }),
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'Noon.' }),
        chunk({}, 'stop', { usage }),
        DONE,
      ),
      reads: { text: 'Noon.' },
      tokens: [19, 10, 13],
    },
    {
      name: 'a call whose id is its name and number',
      events: eventsOf(
        chunk({ role: 'assistant', content: '' }),
        chunk({ tool_calls: [{ index: 0, id: 'clock:0', type: 'function', function: { name: 'clock', arguments: '' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"zone":"UTC"}' } }] }),
        chunk({}, 'tool_calls', { usage }),
        DONE,
      ),
      reads: { text: '', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [19, 10, 13],
    },
  ],
  failures: [
    {
      name: 'a quota that is used up',
      status: 429,
      whole: json({ error: { message: 'Your account is suspended.', type: 'exceeded_current_quota_error' } }),
      code: 'upstream_unavailable',
    },
  ],
}
