import { balanceReply } from '../balance.ts'
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
} as const satisfies EndpointTable<'getBalance' | 'listUsage' | 'getUsage'>
