import type { Endpoint } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../access/keys/caller.ts'
import type { RouteKit } from './route-kit.ts'
import { mountKeyed, type RouteCall } from './route.ts'

/**
 * Mounts an endpoint below the base URL, and once more with the `/api` that the specification writes before it. No
 * redirect: some clients do not send a body again. The second address says that it is deprecated.
 *
 * Source: spec 4, whose two last paths are ambiguous.
 */
export function mountAtBothAddresses(
  app: FastifyInstance,
  deps: RouteKit,
  endpoint: Endpoint,
  handle: (call: RouteCall, caller: Caller) => unknown,
): void {
  mountKeyed(app, deps, endpoint, handle)
  mountKeyed(app, deps, { ...endpoint, path: `/api${endpoint.path}` }, (call, caller) => {
    call.reply.header('deprecation', 'true')
    return handle(call, caller)
  })
}
