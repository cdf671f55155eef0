/** What endpoints of Anthropic's form share at the edge: where the key may be, and how errors look. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { messageError } from './messages/message-object.ts'
import { bearerOf } from '../access/keys/authenticate-key.ts'
import { invalidApiKey } from '../access/keys/invalid-api-key.ts'
import { KEY_PREFIX } from '../access/keys/raw-key.ts'
import { speaksAnthropic } from '../edge/client-form.ts'
import { renderError } from '../edge/render-error.ts'

/**
 * Takes the key from where clients of this form send it, in a header of its own. Some send `Authorization` beside it,
 * which decides; a key of another service in `x-api-key` is then left alone.
 *
 * @throws {ServiceError} `invalid_api_key` for two keys of ours that differ: a proxy in between may read the
 *   other one.
 */
export function takeKeyHeader({ headers }: FastifyRequest): void {
  const { authorization, 'x-api-key': key } = headers
  if (typeof key !== 'string') return
  if (authorization === undefined) headers.authorization = `Bearer ${key}`
  else if (key.startsWith(KEY_PREFIX) && bearerOf(authorization) !== key.trim()) throw invalidApiKey()
}

/** Paths below that of this form, whatever is there. */
const PATHS = /^\/api\/v1\/messages(?:[/?]|$)/

/** Whether errors of an address without a form of its own are read by a client of this one. */
export function expectsMessageError(request: Pick<FastifyRequest, 'headers' | 'url'>): boolean {
  return speaksAnthropic(request) || PATHS.test(request.url)
}

/** Sends an error in this form. */
export function sendMessageError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const rendered = renderError(error)
  request.facts.error = rendered.error
  void reply
    .code(rendered.status)
    .headers(rendered.headers)
    .type('application/json; charset=utf-8')
    .send({ ...messageError({ ...rendered.body.error }), request_id: request.id })
}
