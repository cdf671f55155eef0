import { balanceReply } from '../balance.ts'
import { openRouterCredits, openRouterGeneration, openRouterGenerationQuery, openRouterKey } from '../openrouter.ts'
import { usageList, usagePath, usageQuery, usageReply } from '../usage.ts'
import type { EndpointTable } from './endpoint.ts'

export const accountEndpoints = {
  getBalance: {
    id: 'getBalance',
    method: 'GET',
    path: '/v1/balance',
    auth: 'key',
    right: 'inference',
    tag: 'Account',
    summary: 'Show the credits of the key in use',
    description:
      '`credits` is the balance of the account, `credits_available` what this key can spend at most. A suspended ' +
      'account keeps its figures, and its requests are refused with 403 `account_suspended`.',
    request: {},
    reply: { description: 'The balance.', json: balanceReply },
    errors: [],
    rateClass: 'keyed',
  },
  listUsage: {
    id: 'listUsage',
    method: 'GET',
    path: '/v1/usage',
    auth: 'key',
    right: 'inference',
    tag: 'Account',
    summary: 'List the requests of the key in use',
    description: 'Newest first. Each record holds what is needed to calculate its charge again.',
    request: { query: usageQuery },
    reply: { description: 'One page of records, and the totals over all that the filters select.', json: usageList },
    errors: ['invalid_value'],
    rateClass: 'keyed',
  },
  getUsage: {
    id: 'getUsage',
    method: 'GET',
    path: '/v1/usage/{request_id}',
    auth: 'key',
    right: 'inference',
    tag: 'Account',
    summary: 'Show what became of one request',
    description:
      '`pending` while the request runs or its cost is being looked up, then `final`. Works after a hang-up too: ' +
      'the id is the `x-request-id` of the answer.',
    request: { path: usagePath },
    reply: { description: 'The record, or that it is still open.', json: usageReply },
    errors: ['usage_not_found'],
    rateClass: 'keyed',
  },
  getCurrentKey: {
    id: 'getCurrentKey',
    method: 'GET',
    path: '/v1/key',
    auth: 'key',
    right: 'inference',
    tag: 'Account',
    summary: 'Show the key in use, in OpenRouter’s form',
    description: 'Amounts are US dollars. Fields of what there is none of here say so.',
    request: {},
    reply: { description: 'The key.', json: openRouterKey },
    errors: [],
    rateClass: 'keyed',
  },
  getCredits: {
    id: 'getCredits',
    method: 'GET',
    path: '/v1/credits',
    auth: 'key',
    right: 'inference',
    tag: 'Account',
    summary: 'Show the credits of the account, in OpenRouter’s form',
    description: 'Amounts are US dollars. `GET /v1/balance` says what the key in use can spend.',
    request: {},
    reply: { description: 'The credits.', json: openRouterCredits },
    errors: [],
    rateClass: 'keyed',
  },
  getGeneration: {
    id: 'getGeneration',
    method: 'GET',
    path: '/v1/generation',
    auth: 'key',
    right: 'inference',
    tag: 'Account',
    summary: 'Show what became of one request, in OpenRouter’s form',
    description:
      'By the `id` of a chat, a response or a message, or by its `x-request-id`. 404 while the request runs. Amounts ' +
      'are US dollars.',
    request: { query: openRouterGenerationQuery },
    reply: { description: 'The request.', json: openRouterGeneration },
    errors: ['missing_required_parameter', 'invalid_value', 'usage_not_found'],
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<
  'getBalance' | 'listUsage' | 'getUsage' | 'getCurrentKey' | 'getCredits' | 'getGeneration'
>
