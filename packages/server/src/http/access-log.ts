/**
 * One line a request, written when its answer is over, whoever ended it. Counts and ids only: no body, no header, no
 * key.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../errors/service-error.ts'
import type { HttpMetrics } from '../metrics/http-metrics.ts'
import { type Logger, writeRecord } from '../runtime/log.ts'

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

/** Who is told of the end of each request. */
export interface AccessLogDeps {
  readonly log: Logger
  /** Null where nobody counts. */
  readonly metrics: HttpMetrics | null
}

/** Takes down when a request began, and has its line written and its end counted. */
export function beginAccessLog(deps: AccessLogDeps, request: FastifyRequest, reply: FastifyReply): void {
  const facts: RequestFacts = {
    startedAt: performance.now(),
    keyId: null,
    model: null,
    creditsCharged: null,
    error: null,
  }
  request.facts = facts
  reply.raw.once('close', () => noteEnd(deps, request, reply))
}

function retryOf({ headers }: FastifyRequest): string | null {
  const retry = headers['x-stainless-retry-count']
  return retry === undefined ? null : String(retry)
}

function noteEnd({ log, metrics }: AccessLogDeps, request: FastifyRequest, reply: FastifyReply): void {
  const { facts } = request
  const isWhole = reply.raw.writableFinished
  const durationMs = performance.now() - facts.startedAt
  // The framework makes the options anew each time that they are asked for.
  const route = request.routeOptions.url ?? null
  metrics?.ended({
    route,
    method: request.method,
    status: isWhole ? reply.raw.statusCode : null,
    seconds: durationMs / 1_000,
    errorCode: facts.error?.code ?? null,
  })
  const own = {
    request_id: request.id,
    method: request.method,
    route,
    status: isWhole ? reply.raw.statusCode : CLIENT_CLOSED,
    duration_ms: Math.round(durationMs),
    key_id: facts.keyId,
    credits_charged: facts.creditsCharged,
  }
  const foreign = { model: facts.model, retry: retryOf(request) }
  const { error } = facts
  if (error === null) return writeRecord(log, { own, foreign }, 'request')
  const line = { ...own, ...foreign, code: error.code, ...error.internal }
  // A fault of ours is told with its cause; everything else is an ordinary day.
  if (error.code === 'internal_error') log.error({ ...line, err: error.cause ?? error }, 'request failed')
  else log.info(line, 'request')
}
