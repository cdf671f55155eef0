/**
 * One line a request, written when its answer is over, whichever side ended it. Counts and ids only: no body, no
 * header, no key.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../platform/errors/service-error.ts'
import type { HttpMetrics } from '../telemetry/metrics/http-metrics.ts'
import { type Logger, writeRecord } from '../platform/runtime/log.ts'

/** What is learnt about a request on its way. */
export interface RequestFacts {
  startedAt: number
  keyId: string | null
  model: string | null
  /** Exact decimal text; null when nothing was charged, or not yet. */
  creditsCharged: string | null
  /** Takes a charge that is known only after the line was written; null until then. */
  lateCharge: ((credits: string) => void) | null
  /** Whether a file of a page was asked for: its line is of level `debug`. */
  isPageFile: boolean
  error: ServiceError | null
}

declare module 'fastify' {
  interface FastifyRequest {
    facts: RequestFacts
  }
}

/** How a client that hung up is noted. Source: decision 0010 (499 is logged only). */
const CLIENT_CLOSED = 499

/** The listeners to the end of each request. */
export interface AccessLogDeps {
  readonly log: Logger
  /** Null where metrics are off. */
  readonly metrics: HttpMetrics | null
}

/** Takes down when a request began, and has its line written and its end counted. */
export function beginAccessLog(deps: AccessLogDeps, request: FastifyRequest, reply: FastifyReply): void {
  const facts: RequestFacts = {
    startedAt: performance.now(),
    keyId: null,
    model: null,
    creditsCharged: null,
    lateCharge: null,
    isPageFile: false,
    error: null,
  }
  request.facts = facts
  reply.raw.once('close', () => noteEnd(deps, request, reply))
}

/** How often a client says that it has tried: clients of OpenAI's make count of it. Anything else is not written. */
const RETRY_COUNT = /^\d{1,3}$/

function retryOf({ headers }: FastifyRequest): string | null {
  const retry = headers['x-stainless-retry-count']
  return typeof retry === 'string' && retry.length <= 3 && RETRY_COUNT.test(retry) ? retry : null
}

/**
 * The line of a caller who left does not wait for the charge, which may come minutes later: it has a line of its own.
 */
function lateChargeOf(log: Logger, { id, facts }: FastifyRequest): (credits: string) => void {
  return (credits) => {
    const own = { request_id: id, key_id: facts.keyId, credits_charged: credits }
    writeRecord(log, { own, foreign: { model: facts.model } }, 'charged after the caller had left')
  }
}

/** Has the lines of what is mounted in a scope written as those of files of a page: one view of it asks for many. */
export function markPageFiles(scope: FastifyInstance): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    request.facts.isPageFile = true
    done()
  })
}

/** Notes what a request was charged, for its line. @param credits exact decimal text. */
export function noteCharge({ facts }: FastifyRequest, credits: string): void {
  if (facts.lateCharge === null) facts.creditsCharged = credits
  else facts.lateCharge(credits)
}

function noteEnd({ log, metrics }: AccessLogDeps, request: FastifyRequest, reply: FastifyReply): void {
  const { facts } = request
  const isWhole = reply.raw.writableFinished
  if (!isWhole) facts.lateCharge = lateChargeOf(log, request)
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
  if (error === null && facts.isPageFile && reply.raw.statusCode < 400)
    return log.debug({ ...own, ...foreign }, 'request')
  if (error === null) return writeRecord(log, { own, foreign }, 'request')
  const line = { ...own, ...foreign, code: error.code, ...error.internal }
  // A fault of ours is logged with its cause; everything else is an ordinary day.
  if (error.code === 'internal_error') log.error({ ...line, err: error.cause ?? error }, 'request failed')
  else log.info(line, 'request')
}
