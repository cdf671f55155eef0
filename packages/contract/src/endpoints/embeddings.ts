import { embeddingReply, embeddingRequest } from '../embeddings.ts'
import { type EndpointTable, paidErrors } from './endpoint.ts'

export const embeddingsEndpoints = {
  createEmbedding: {
    id: 'createEmbedding',
    method: 'POST',
    path: '/v1/embeddings',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    tag: 'Embeddings',
    summary: 'Turn texts into vectors',
    description:
      'The OpenAI embeddings request. Vectors come in the order of the texts and in the requested encoding, ' +
      'whatever the upstream answers. Only prompt tokens are charged.',
    request: { body: embeddingRequest },
    reply: { description: 'The vectors.', json: embeddingReply },
    errors: ['invalid_json', 'context_length_exceeded', ...paidErrors],
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<'createEmbedding'>
