import { DONE, eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const sources = {
  citations: ['https://example.com/noon'],
  search_results: [{ title: 'Noon', url: 'https://example.com/noon', date: null, last_updated: '2026-11-01', source: 'web' }],
}
const head = { id: '5f1c', model: 'sonar', created: 1_795_000_009 }
const usage = (completion_tokens: number) => ({
  prompt_tokens: 8,
  completion_tokens,
  total_tokens: 8 + completion_tokens,
  search_context_size: 'low',
})
const cost = { input_tokens_cost: 0.000_008, output_tokens_cost: 0.000_012, request_cost: 0.005, total_cost: 0.005_02 }
const chunk = (said: string, content: string, finish_reason: string | null, more: object) => ({
  ...{ ...head, object: finish_reason === null ? 'chat.completion.chunk' : 'chat.completion.done', ...sources },
  choices: [
    { index: 0, message: { role: 'assistant', content: said }, delta: { role: 'assistant', content }, finish_reason },
  ],
  ...more,
})

export const perplexity: PublicServer = {
  server: 'Perplexity',
  source: 'https://docs.perplexity.ai/docs/sonar/pro-search/stream-mode.md, vercel/ai#13705, BerriAI/litellm#17887 (the cost has parts)',
  answers: [
    {
      name: 'all that was said beside each piece, and a cost with its parts',
      whole: json({
        ...{ ...head, object: 'chat.completion', ...sources, usage: { ...usage(12), cost } },
        choices: [
          {
            ...{ index: 0, finish_reason: 'stop', delta: { role: 'assistant', content: '' } },
            message: { role: 'assistant', content: 'Noon [1].' },
          },
        ],
      }),
      events: eventsOf(
        chunk('Noon', 'Noon', null, { usage: usage(4) }),
        chunk('Noon [1].', ' [1].', null, { usage: usage(8) }),
        chunk('Noon [1].', '', 'stop', { usage: { ...usage(12), cost } }),
        DONE,
      ),
      reads: { text: 'Noon [1].' },
      tokens: [8, 0, 12],
      cost: '0.00502',
    },
  ],
  failures: [
    {
      name: 'roles that do not alternate',
      status: 400,
      whole: json({ error: { message: 'After the system messages, user and assistant roles should alternate.', type: 'invalid_message', code: 400 } }),
      code: 'upstream_rejected_request',
    },
    {
      name: 'a page instead of an error',
      status: 401,
      whole: '<html><head><title>401 Authorization Required</title></head><body><center>401</center></body></html>',
      code: 'upstream_unavailable',
    },
  ],
}
