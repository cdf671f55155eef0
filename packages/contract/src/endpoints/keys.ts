import {
  apiKeyList,
  apiKeyPath,
  madeApiKey,
  mirrorReply,
  mirrorRequest,
  newApiKey,
  revokedApiKeyReply,
} from '../keys.ts'
import { bodyErrors, type EndpointTable } from './endpoint.ts'

export const keysEndpoints = {
  listApiKeys: {
    id: 'listApiKeys',
    method: 'GET',
    path: '/v1/keys',
    auth: 'key',
    tag: 'Keys',
    summary: 'List the key in use and those that follow it',
    description: 'Newest first, ended ones included; at most 200. No answer has a secret in it.',
    request: {},
    reply: { description: 'The keys.', json: apiKeyList },
    errors: [],
    rateClass: 'keyed',
  },
  createApiKey: {
    id: 'createApiKey',
    method: 'POST',
    path: '/v1/keys',
    auth: 'key',
    right: 'keys',
    tag: 'Keys',
    summary: 'Make a key that follows the key in use',
    description:
      'It spends from the same budget, can do nothing that the key in use cannot, and ends with it at the latest. Keys ' +
      'with budgets of their own are made in the console.',
    request: { body: newApiKey },
    reply: { description: 'The key, with its secret.', json: madeApiKey },
    errors: bodyErrors,
    rateClass: 'keyed',
  },
  revokeApiKey: {
    id: 'revokeApiKey',
    method: 'DELETE',
    path: '/v1/keys/{key_id}',
    auth: 'key',
    tag: 'Keys',
    summary: 'Revoke a key that follows the key in use, or that one itself',
    description:
      'It ends for good, with every key that follows it; what runs with it ends, too. A key that follows another one ' +
      'is revoked with the right `keys` alone; every key may revoke itself.',
    request: { path: apiKeyPath },
    reply: { description: 'That it is done.', json: revokedApiKeyReply },
    errors: ['key_not_found'],
    rateClass: 'keyed',
  },
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
    errors: bodyErrors,
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<'listApiKeys' | 'createApiKey' | 'revokeApiKey' | 'mirrorKey'>
