import type { moderationsEndpoints } from '../endpoints/moderations.ts'
import { type ExampleTable, REQUEST_ID } from './example.ts'

const MODEL = 'omni-moderation-latest'

export const moderationsExamples: ExampleTable<typeof moderationsEndpoints> = {
  createModeration: {
    body: { model: MODEL, input: ['A green pear.'] },
    reply: {
      id: `modr-${REQUEST_ID}`,
      model: MODEL,
      results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.0001 } }],
      usage: { prompt_tokens: 4, total_tokens: 4, cost: 0 },
      svc: { credits_charged: 0, margin_bps: 2_000 },
    },
  },
}
