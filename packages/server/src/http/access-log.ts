/**
 * One line a request, written when its answer is over, whoever ended it. Counts and ids only: no body, no header, no
 * key.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../runtime/log.ts'
import type { ServiceError } from '../errors/service-error.ts'

/** What is learnt about a request on its way. */
export interface RequestFacts {
  startedAt: number
  keyId: string | null
  model: string | null
  /** Exact decimal text; null when nothing was charged or it is told in the stream. */
  creditsCharged: string | null
  error: ServiceError | null
}

declare module 'fastify' {
  interface FastifyRequest {
    facts: RequestFacts
  }
}

/** How a client that hung up is noted. Source: decision 0010 (499 is logged only). */
const CLIENT_CLOSED = 499

/** Takes down when a request began and has its line written at its end. */
export function beginAccessLog(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const facts: RequestFacts = {
    startedAt: performance.now(),
    keyId: null,
    model: null,
    creditsCharged: null,
    error: null,
  }
  request.facts = facts
  reply.raw.once('close', () => writeLine(log, request, reply))
}

function writeLine(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const { facts } = request
  const isWhole = reply.raw.writableFinished
  const line = {
    request_id: request.id,
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: isWhole ? reply.raw.statusCode : CLIENT_CLOSED,
    duration_ms: Math.round(performance.now() - facts.startedAt),
    key_id: facts.keyId,
    model: facts.model,
    credits_charged: facts.creditsCharged,
    retry: request.headers['x-stainless-retry-count'] ?? null,
    ...(facts.error === null ? {} : { code: facts.error.code, ...facts.error.internal }),
  }
  // A fault of ours is told with its cause; everything else is an ordinary day.
  if (facts.error?.code === 'internal_error')
    log.error({ ...line, err: facts.error.cause ?? facts.error }, 'request failed')
  else log.info(line, 'request')
}
