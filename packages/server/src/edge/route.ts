/** How an endpoint's row of the contract becomes a route: authenticate, limit, parse, hand over, render. */
import type { Endpoint } from '@svc/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { Freshness } from '../access/keys/authenticate-key.ts'
import type { Caller } from '../access/keys/caller.ts'
import { callerAddress } from './caller-address.ts'
import { compressAnswer } from './compress-answer.ts'
import type { RouteKit } from './route-kit.ts'
import { rateHeaders } from '../admission/limits/rate-limit.ts'

export interface RouteCall {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** The framework's spelling of a contract path: `{id}` takes everything that follows, slashes included. */
export function routePattern(endpoint: Pick<Endpoint, 'path'>): string {
  if (endpoint.path.endsWith('/{id}')) return endpoint.path.replace('{id}', '*')
  return endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')
}

type CallerDeps = Pick<RouteKit, 'authenticator' | 'limits'>

/**
 * Wrong keys of one address end its further tries, but not the work of keys that are known to be right: they may share
 * it.
 */
async function authenticate(deps: CallerDeps, { request }: RouteCall, freshness: Freshness): Promise<Caller> {
  const { authenticator, limits } = deps
  const { authorization } = request.headers
  const address = callerAddress(request.ip)
  if (!limits.failedAuth.allows(address) && !authenticator.isKnown(authorization)) limits.failedAuth.take(address)
  try {
    return await authenticator.authenticate(authorization, freshness)
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) limits.failedAuth.take(address)
    throw error
  }
}

/** @throws {ServiceError} 403 when the key lacks the endpoint's right. */
export function requireRight(caller: Caller, { right }: Endpoint): void {
  if (right === undefined || caller.rights.has(right)) return
  throw new ServiceError('key_scope_denied', `This key does not have the right '${right}'.`)
}

/** Finds the caller, and counts nothing. @throws {ServiceError} 401, 403 when the key lacks the endpoint's right. */
export async function findCaller(
  deps: CallerDeps,
  call: RouteCall,
  endpoint: Endpoint,
  freshness: Freshness,
): Promise<Caller> {
  const caller = await authenticate(deps, call, freshness)
  requireRight(caller, endpoint)
  return caller
}

/**
 * Finds the caller and counts the request.
 * @throws {ServiceError} 401, 403 when the key lacks the endpoint's right, 429.
 */
export async function admitCaller(
  deps: RouteKit,
  call: RouteCall,
  endpoint: Endpoint,
  freshness: Freshness,
): Promise<Caller> {
  const caller = await authenticate(deps, call, freshness)
  call.request.facts.keyId = caller.keyId
  // The key's limit first: what it refuses must not use up the account's, which is for the account's other keys, too.
  const { requestsPerMinute: own, accountRequestsPerMinute: all, countedAs } = caller.limits
  const state = await deps.limits.perKey.take(countedAs, own.most, own.setFor)
  await deps.limits.perAccount.take(caller.accountId, all.most, all.setFor)
  call.reply.headers(rateHeaders(state))
  requireRight(caller, endpoint)
  deps.noteKeyUse(caller.keyId)
  return caller
}

/** Mounts an endpoint that needs no key. An `Authorization` header is not looked at. */
export function mountPublic(
  app: FastifyInstance,
  deps: RouteKit,
  endpoint: Endpoint,
  handle: (call: RouteCall) => unknown,
): void {
  app.route({
    method: endpoint.method,
    url: routePattern(endpoint),
    ...(endpoint.method === 'GET' ? { onSend: compressAnswer } : {}),
    handler: async (request, reply) => {
      deps.limits.perAddress.take(callerAddress(request.ip))
      return handle({ request, reply })
    },
  })
}

/**
 * Mounts an endpoint that holds no credits. The key's row is read at every call, so a revoked key is refused at once:
 * here, or by `readObjectBody` where there is a body.
 */
export function mountKeyed(
  app: FastifyInstance,
  deps: RouteKit,
  endpoint: Endpoint,
  handle: (call: RouteCall, caller: Caller) => unknown,
): void {
  app.route({
    method: endpoint.method,
    url: routePattern(endpoint),
    ...(endpoint.method === 'GET' ? { onSend: compressAnswer } : {}),
    handler: async (request, reply) => {
      const call = { request, reply }
      const freshness = endpoint.request.body === undefined ? 'fresh' : 'cached'
      return handle(call, await admitCaller(deps, call, endpoint, freshness))
    },
  })
}
