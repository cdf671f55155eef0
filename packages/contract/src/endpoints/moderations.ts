import { moderationReply, moderationRequest } from '../moderations.ts'
import { type EndpointTable, paidErrors } from './endpoint.ts'

export const moderationsEndpoints = {
  createModeration: {
    id: 'createModeration',
    method: 'POST',
    path: '/v1/moderations',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    tag: 'Moderations',
    summary: 'Classify what texts and images say',
    description:
      'The OpenAI moderation request. Free where the price of the model is zero, as that of OpenAI is; else prompt ' +
      'tokens are charged.',
    request: { body: moderationRequest },
    reply: { description: 'A result for each text, or one for all parts.', json: moderationReply },
    errors: ['invalid_json', 'context_length_exceeded', ...paidErrors],
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<'createModeration'>
