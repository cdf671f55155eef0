import { rerankReply, rerankRequest } from '../rerank.ts'
import { type EndpointTable, paidErrors } from './endpoint.ts'

export const rerankEndpoints = {
  createRerank: {
    id: 'createRerank',
    method: 'POST',
    path: '/v1/rerank',
    auth: 'key',
    right: 'inference',
    isCharged: true,
    tag: 'Rerank',
    summary: 'Rank documents by their relevance',
    description:
      'Compares each document to a query, in the form that Cohere, Jina and OpenRouter share. The most relevant comes ' +
      'first. Charged by tokens, by searches of up to a hundred documents, or by both, as the price of the model says.',
    request: { body: rerankRequest },
    reply: { description: 'The ranking.', json: rerankReply },
    errors: ['invalid_json', 'context_length_exceeded', ...paidErrors],
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<'createRerank'>
