import type { quotesEndpoints } from '../endpoints/quotes.ts'
import { CREATED, type ExampleTable } from './example.ts'

export const quotesExamples: ExampleTable<typeof quotesEndpoints> = {
  createQuote: {
    body: {
      endpoint: '/v1/chat/completions',
      body: { model: 'svc-gpt', max_tokens: 200, messages: [{ role: 'user', content: 'Say hello.' }] },
    },
    reply: {
      object: 'quote',
      quote_id: 'quote_AQHb1u6mQK0vJ0m0Yk9Zb7w2yq3c8sXn4d5e6f7g8h9i0jklmnopqrstuv',
      created: CREATED,
      expires_at: CREATED + 600,
      endpoint: '/v1/chat/completions',
      model: 'svc-gpt',
      credits_at_most: 0.014_784,
      credits_likely: 0.012_312,
      margin_bps: 2_000,
      lines: [
        { unit: 'prompt_tokens', quantity: 232, credits_per_unit: 0.000_012, credits: 0.002_784 },
        { unit: 'completion_tokens', quantity: 200, credits_per_unit: 0.000_06, credits: 0.012 },
      ],
    },
  },
}
