/** The form of an endpoint's row. The rows are beside this file, one file for each tag. */
import type { z } from 'zod'
import type { ErrorCode } from '../error-codes.ts'

export type RateClass = 'keyed' | 'public'

/** What an endpoint takes. An absent part is not read. Of `body` and `form` one is sent where there are both. */
export interface EndpointRequest {
  readonly path?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** What the OpenAPI document shows in place of `body`, where that passes fields on without reading them. */
  readonly documentedBody?: z.ZodObject
  /** Fields of a `multipart/form-data` body; files are `z.file()`. For the document: the server reads forms itself. */
  readonly form?: z.ZodObject
}

/** A body that is no JSON. */
export interface EndpointBytes {
  /** Media types that it can have. */
  readonly types: readonly string[]
  readonly description: string
}

/** What an endpoint answers: JSON, bytes, or one of both. */
export interface EndpointReply {
  readonly description: string
  /** Schema of the JSON body. */
  readonly json?: z.ZodType
  /** Schema of one event, where the answer can be a stream of server-sent events. */
  readonly event?: z.ZodType
  /** Set where each event has a name, its `type`, and no `[DONE]` follows the last. */
  readonly namedEvents?: true
  readonly bytes?: EndpointBytes
  /** Set where the answer can also have the status 202, with the same body. */
  readonly accepted?: true
  /** Set where a 503 has the same body: when that comes. */
  readonly unavailable?: string
}

/** Groups of the OpenAPI document, in its order, and what they are about. */
export const endpointTags = {
  Models: 'What there is and what it costs.',
  Chat: 'Chat with text models, streamed or not.',
  Embeddings: 'Texts as vectors.',
  Rerank: 'Documents by their relevance to a query.',
  Moderations: 'Whether texts and images say what they should not.',
  Images: 'Make and change images.',
  Videos: 'Make videos: submit a job, ask for its state, fetch the file.',
  Audio: 'Speech from text, text from speech.',
  Batches: 'Many requests at once, made within a day.',
  Files: 'Upload requests for batches, and fetch what was made.',
  Quotes: 'What a request will cost, before it is sent.',
  Account: 'Credits and where they went.',
  Log: 'The signed log of all that was booked, and receipts of what is in it.',
  Deposits: 'Payments on a chain that become credits.',
  Keys: 'Keys that follow the key in use, made here or elsewhere.',
  Service: 'The gateway itself.',
} as const

export type EndpointTag = keyof typeof endpointTags

/** As much of a row as a client needs to call it. */
export interface CallableEndpoint {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Relative to the base URL, which ends in `/api`. Names in braces are path parameters. */
  readonly path: string
  readonly request: EndpointRequest
  readonly reply: EndpointReply
  /** Set where credits are held for the request: it takes the most that its caller agrees to pay, and a quote. */
  readonly isPaid?: true
  /** Set where the answer to an Idempotency-Key is kept: sent again under it, the request is worked on once. */
  readonly isIdempotent?: true
  /** Set for a POST that does the same once however often it is sent, without an Idempotency-Key. */
  readonly isRepeatable?: true
}

export interface Endpoint extends CallableEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `signed` takes a signature in the query in place of a key. */
  readonly auth: 'key' | 'public' | 'signed'
  /** The right that the key must have. */
  readonly right?: 'inference' | 'deposits' | 'keys'
  /** Whether the document shows it below the origin as `/api/…`, as the specification writes it. */
  readonly standsAtOrigin?: true
  /** Whether a successful answer says what it cost, in the headers at least. */
  readonly isCharged?: true
  /** Whether that charge is estimated before the work, which the headers say, too. */
  readonly isEstimated?: true
  readonly tag: EndpointTag
  readonly summary: string
  readonly description: string
  /** Besides the codes that every endpoint can answer, and those of an Idempotency-Key. */
  readonly errors: readonly ErrorCode[]
  /** Which bucket of the rate limits counts it. */
  readonly rateClass: RateClass
}

/** Rows by their operation ids. */
export type EndpointTable<Ids extends string> = { readonly [Id in Ids]: Endpoint & { readonly id: Id } }

/** Codes that every endpoint can answer. */
export const commonErrors = [
  'method_not_allowed',
  'rate_limit_exceeded',
  'internal_error',
] as const satisfies ErrorCode[]

/** Codes that every endpoint with a key can answer: the key is read from the database, which may be away. */
export const keyErrors = [
  'invalid_api_key',
  'key_scope_denied',
  'account_suspended',
  'server_is_overloaded',
] as const satisfies ErrorCode[]

/** Codes that every endpoint with a JSON body can answer: a body that does not come, is none, or is another. */
export const bodyErrors = [
  'invalid_json',
  'missing_required_parameter',
  'invalid_value',
  'unsupported_media_type',
  'request_too_large',
  'request_timeout',
  'server_is_overloaded',
] as const satisfies ErrorCode[]

/** Codes that every endpoint with an Idempotency-Key can answer. */
const idempotencyErrors = [
  'idempotency_key_in_use',
  'idempotency_answer_gone',
  'idempotency_key_reused',
] as const satisfies ErrorCode[]

/** Codes that every paid endpoint can answer beside its own: the credits, the model, the upstream. */
export const paidErrors = [
  'missing_required_parameter',
  'invalid_value',
  'unsupported_parameter',
  'empty_content',
  'content_policy_violation',
  'upstream_rejected_request',
  'max_credits_exceeded',
  'quote_not_found',
  'quote_expired',
  'quote_mismatch',
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
] as const satisfies ErrorCode[]

/** All codes that an endpoint can answer. */
export function errorCodesOf(endpoint: Endpoint): readonly ErrorCode[] {
  const { errors, auth, request, isIdempotent } = endpoint
  const named = isIdempotent === true ? idempotencyErrors : []
  // A name in the path or a filter may be longer than any, or of another form.
  const wrong = request.path === undefined && request.query === undefined ? [] : (['invalid_value'] as const)
  return [...new Set([...errors, ...named, ...wrong, ...(auth === 'key' ? keyErrors : []), ...commonErrors])]
}
