/** What endpoints of Anthropic's form share at the edge: where the key may stand, and how errors look. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { messageError } from '../inference/messages/message-object.ts'
import { renderError } from './render-error.ts'

/** Clients of this form send their key in a header of its own. */
export function takeKeyHeader({ headers }: FastifyRequest): void {
  const key = headers['x-api-key']
  if (headers.authorization === undefined && typeof key === 'string') headers.authorization = `Bearer ${key}`
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
