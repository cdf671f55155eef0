import { rerankReply, rerankRequest } from '../rerank.ts'
import { type EndpointTable, paidErrors } from './endpoint.ts'

const rerank = {
  method: 'POST',
  auth: 'key',
  right: 'inference',
  isPaid: true,
  isCharged: true,
  isIdempotent: true,
  tag: 'Rerank',
  request: { body: rerankRequest },
  reply: { description: 'The ranking.', json: rerankReply },
  errors: ['invalid_json', 'context_length_exceeded', ...paidErrors],
  rateClass: 'keyed',
} as const

export const rerankEndpoints = {
  createRerank: {
    ...{ ...rerank, id: 'createRerank', path: '/v1/rerank' },
    summary: 'Rank documents by their relevance',
    description:
      'Compares each document to a query, in the form that Cohere, Jina and OpenRouter share. The most relevant comes ' +
      'first. Charged by tokens, by searches of up to a hundred documents, or by both, as the price of the model says.',
  },
  createRerankV2: {
    ...{ ...rerank, id: 'createRerankV2', path: '/v2/rerank' },
    summary: 'Rank documents, at the address of newer clients',
    description: 'The same as `/v1/rerank`, for clients of version 2 of the API of Cohere.',
  },
} as const satisfies EndpointTable<'createRerank' | 'createRerankV2'>
