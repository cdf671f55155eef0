import type { rerankEndpoints } from '../endpoints/rerank.ts'
import { type ExampleTable, REQUEST_ID } from './example.ts'

const MODEL = 'cohere/rerank-v3.5'

const example = {
  body: { model: MODEL, query: 'fruit', documents: ['A red car.', 'A green pear.'], top_n: 1 },
  reply: {
    id: `rerank-${REQUEST_ID}`,
    object: 'list',
    model: MODEL,
    results: [{ index: 1, relevance_score: 0.84, document: { text: 'A green pear.' } }],
    usage: { prompt_tokens: 12, total_tokens: 12, search_units: 1, cost: 0.0024 },
    meta: { billed_units: { search_units: 1, input_tokens: 12 } },
    svc: { credits_charged: 2.4, margin_bps: 2_000 },
  },
} as const

export const rerankExamples: ExampleTable<typeof rerankEndpoints> = { createRerank: example, createRerankV2: example }
