import { mirrorReply, mirrorRequest } from '../keys.ts'
import type { EndpointTable } from './endpoint.ts'

export const keysEndpoints = {
  mirrorKey: {
    id: 'mirrorKey',
    method: 'POST',
    path: '/keys/mirror',
    isRepeatable: true,
    auth: 'key',
    standsAtOrigin: true,
    tag: 'Keys',
    summary: 'Make a key of another gateway valid here',
    description:
      'The key shares account, team, budget, expiry, models and rights of the key in use, which needs the right ' +
      '`keys`. Best effort: the answer says whether it was done.',
    request: { body: mirrorRequest },
    reply: { description: 'Whether the key was mirrored.', json: mirrorReply },
    errors: [
      'invalid_json',
      'missing_required_parameter',
      'invalid_value',
      'unsupported_media_type',
      'request_too_large',
      'server_is_overloaded',
    ],
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<'mirrorKey'>
