import type { embeddingsEndpoints } from '../endpoints/embeddings.ts'
import type { ExampleTable } from './example.ts'

const MODEL = 'openrouter/openai/text-embedding-3-small'

export const embeddingsExamples: ExampleTable<typeof embeddingsEndpoints> = {
  createEmbedding: {
    body: { model: MODEL, input: ['A red apple.', 'A green pear.'], encoding_format: 'float', dimensions: 4 },
    reply: {
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [0.5, -0.5, 0.5, 0.5] },
        { object: 'embedding', index: 1, embedding: [0.5, 0.5, 0.5, 0.5] },
      ],
      model: MODEL,
      usage: { prompt_tokens: 10, total_tokens: 10, cost: 2.4e-7 },
      svc: { credits_charged: 0.00024, margin_bps: 2_000 },
    },
  },
}
