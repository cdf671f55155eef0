/**
 * The list of endpoints: server, typed client, console and the OpenAPI document are made from these rows.
 * An endpoint that is not built has no row.
 */
import { z } from 'zod'
import { balanceReply } from './balance.ts'
import { documentedChatRequest } from './chat-documentation.ts'
import { chatChunk, chatReply, chatRequest } from './chat.ts'
import type { ErrorCode } from './error-codes.ts'
import { healthReply } from './health.ts'
import { modelEntry, modelList, modelPath, modelsQuery } from './models.ts'
import { usageList, usagePath, usageQuery, usageReply } from './usage.ts'

export type RateClass = 'keyed' | 'public'

/** What an endpoint takes. An absent part is not read. */
export interface EndpointRequest {
  readonly path?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** What the OpenAPI document shows in place of `body`, where that passes fields on without reading them. */
  readonly documentedBody?: z.ZodObject
}

export interface EndpointReply {
  readonly description: string
  /** Schema of the JSON body. */
  readonly json: z.ZodType
  /** Schema of one event, where the answer can be a stream of server-sent events. */
  readonly event?: z.ZodType
  /** Set where a 503 has the same body: when that comes. */
  readonly unavailable?: string
}

/** Every operation has an id; the table below has a row for each. */
export type EndpointId =
  | 'listModels'
  | 'getModel'
  | 'createChatCompletion'
  | 'getBalance'
  | 'listUsage'
  | 'getUsage'
  | 'getHealth'
  | 'getOpenApi'

export interface Endpoint {
  readonly id: EndpointId
  readonly method: 'GET' | 'POST'
  /** Relative to the base URL, which ends in `/api`. Names in braces are path parameters. */
  readonly path: string
  readonly auth: 'key' | 'public'
  /** The right that the key must have. */
  readonly right?: 'inference'
  readonly tag: 'Models' | 'Chat' | 'Account' | 'Service'
  readonly summary: string
  readonly description: string
  readonly request: EndpointRequest
  readonly reply: EndpointReply
  /** Besides the codes that every endpoint can answer. */
  readonly errors: readonly ErrorCode[]
  /** Which bucket of the rate limits counts it. */
  readonly rateClass: RateClass
}

/** Codes that every endpoint can answer. */
export const commonErrors = [
  'method_not_allowed',
  'rate_limit_exceeded',
  'internal_error',
] as const satisfies ErrorCode[]

/** Codes that every endpoint with a key can answer. */
export const keyErrors = ['invalid_api_key', 'key_scope_denied', 'account_suspended'] as const satisfies ErrorCode[]

export const endpoints = {
  listModels: {
    id: 'listModels',
    method: 'GET',
    path: '/v1/models',
    auth: 'public',
    tag: 'Models',
    summary: 'List the models',
    description: 'Everything that a key can address, the featured aliases first. Not paged unless `limit` is given.',
    request: { query: modelsQuery },
    reply: { description: 'The models.', json: modelList },
    errors: ['invalid_value'],
    rateClass: 'public',
  },
  getModel: {
    id: 'getModel',
    method: 'GET',
    path: '/v1/models/{id}',
    auth: 'public',
    tag: 'Models',
    summary: 'Show one model',
    description: 'Slashes in the id may be written raw or as `%2F`.',
    request: { path: modelPath },
    reply: { description: 'The model.', json: modelEntry },
    errors: ['model_not_found'],
    rateClass: 'public',
  },
  createChatCompletion: {
    id: 'createChatCompletion',
    method: 'POST',
    path: '/v1/chat/completions',
    auth: 'key',
    right: 'inference',
    tag: 'Chat',
    summary: 'Chat with a model',
    description:
      'The OpenAI chat request. Fields that are not listed go to the upstream unchanged, except those that change ' +
      'price, model or route. The answer carries the charge in `svc`: at the top level, or in a stream on the last ' +
      'event before `[DONE]`.',
    request: { body: chatRequest, documentedBody: documentedChatRequest },
    reply: {
      description: 'The answer: JSON, or with `stream: true` server-sent events that end with `data: [DONE]`.',
      json: chatReply,
      event: chatChunk,
    },
    errors: [
      'invalid_json',
      'missing_required_parameter',
      'invalid_value',
      'unsupported_parameter',
      'empty_content',
      'context_length_exceeded',
      'content_policy_violation',
      'upstream_rejected_request',
      'insufficient_credits',
      'key_budget_exceeded',
      'team_budget_exceeded',
      'model_not_allowed',
      'model_not_found',
      'request_timeout',
      'request_too_large',
      'unsupported_media_type',
      'upstream_error',
      'upstream_empty',
      'upstream_unavailable',
      'server_is_overloaded',
      'upstream_timeout',
    ],
    rateClass: 'keyed',
  },
  getBalance: {
    id: 'getBalance',
    method: 'GET',
    path: '/v1/balance',
    auth: 'key',
    right: 'inference',
    tag: 'Account',
    summary: 'Show the credits of the key in use',
    description: '`credits` is the balance of the account, `credits_available` what this key can spend now.',
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
  getHealth: {
    id: 'getHealth',
    method: 'GET',
    path: '/health',
    auth: 'public',
    tag: 'Service',
    summary: 'Show whether the gateway works',
    description: 'Answers 503 with the same body when no upstream can be reached.',
    request: {},
    reply: { description: 'The state of the gateway.', json: healthReply, unavailable: 'No upstream can be reached.' },
    errors: [],
    rateClass: 'public',
  },
  getOpenApi: {
    id: 'getOpenApi',
    method: 'GET',
    path: '/openapi',
    auth: 'public',
    tag: 'Service',
    summary: 'Get this description',
    description: 'OpenAPI 3.1.0.',
    request: {},
    reply: { description: 'The OpenAPI document.', json: z.looseObject({ openapi: z.string() }) },
    errors: [],
    rateClass: 'public',
  },
} as const satisfies { readonly [Id in EndpointId]: Endpoint & { readonly id: Id } }

/** Every row, in the order of the document. */
export const endpointList: readonly Endpoint[] = Object.values(endpoints)

/** All codes that an endpoint can answer. */
export function errorCodesOf(endpoint: Endpoint): readonly ErrorCode[] {
  return [...endpoint.errors, ...(endpoint.auth === 'key' ? keyErrors : []), ...commonErrors]
}
