/** Headers of answers, as the OpenAPI document describes them. */

export interface HeaderDescription {
  readonly description: string
  readonly schema: { readonly type: 'string' | 'integer' | 'number'; readonly examples?: readonly unknown[] }
}

/** Headers of successful answers. */
export const replyHeaders = {
  'x-request-id': {
    description: 'Id of this request; `GET /v1/usage/{request_id}` tells what became of it.',
    schema: { type: 'string' },
  },
  'x-ratelimit-limit-requests': { description: 'Requests per minute.', schema: { type: 'integer' } },
  'x-ratelimit-remaining-requests': { description: 'Requests that would pass now.', schema: { type: 'integer' } },
  'x-ratelimit-reset-requests': {
    description: 'Time until the whole limit is free again.',
    schema: { type: 'string', examples: ['1.2s'] },
  },
  'x-svc-credits-charged': {
    description: 'Credits deducted for this request, as an exact decimal. Not on streams: there `svc` says it.',
    schema: { type: 'string', examples: ['0.021'] },
  },
  'x-svc-charge-state': {
    description:
      '`pending` where the charge is certain and not in the books yet; absent otherwise. Behind an audio file, whose headers ' +
      'leave before its end, it is a trailer. Not on event streams: there `svc` says it.',
    schema: { type: 'string' },
  },
  'x-svc-estimated': {
    description: '`true` where the charge was estimated before the work, as for transcription.',
    schema: { type: 'string' },
  },
  'idempotent-replayed': {
    description: '`true` where an earlier answer to the same `Idempotency-Key` is given again; it is not charged anew.',
    schema: { type: 'string' },
  },
  'x-svc-margin-bps': { description: 'Margin in basis points.', schema: { type: 'integer', examples: [2_000] } },
} as const satisfies Record<string, HeaderDescription>

/** Headers of failures. */
export const errorHeaders = {
  'retry-after': { description: 'Seconds after which a retry makes sense.', schema: { type: 'integer' } },
  'retry-after-ms': { description: 'The same in milliseconds.', schema: { type: 'integer' } },
  'x-should-retry': { description: '`false` where a retry is useless.', schema: { type: 'string' } },
  'x-svc-credits-required': { description: 'Credits that the request may cost at most.', schema: { type: 'string' } },
  'www-authenticate': { description: '`Bearer`.', schema: { type: 'string' } },
} as const satisfies Record<string, HeaderDescription>

/** Header of requests that are worked on once under a name. */
export const idempotencyHeader = {
  'Idempotency-Key': {
    description:
      'A name of your choice, 1 to 255 visible ASCII characters. Sent again under it with the same body, within 24 hours, ' +
      'the request is worked on and charged once, and answered as before.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, HeaderDescription>

/** Headers of requests that are paid for. */
export const termHeaders = {
  'x-svc-max-credits': {
    description:
      'The most that the request may cost. Answers that can be cut are limited to it; anything else that could cost ' +
      'more is a 400 `max_credits_exceeded`.',
    schema: { type: 'string', examples: ['5'] },
  },
  'x-svc-quote': {
    description: 'The `quote_id` of `POST /v1/quotes`: the request costs no more than was quoted, at those prices.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, HeaderDescription>
