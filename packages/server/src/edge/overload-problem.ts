import { paidPaths } from '@svc/contract'
import type { FastifyRequest } from 'fastify'
import type { ServiceError } from '../platform/errors/service-error.ts'
import type { RouteKit } from './route-kit.ts'

/** Every address whose requests are paid for. */
const PAID: ReadonlySet<string> = new Set(paidPaths.map((path) => `/api${path}`))

/** Why a paid request is not taken now; undefined where it is. Asked before the key, and before any body is read. */
export function overloadProblem(
  { overload }: Pick<RouteKit, 'overload'>,
  { method, routeOptions }: FastifyRequest,
): ServiceError | undefined {
  if (method !== 'POST' || !PAID.has(routeOptions.url ?? '')) return undefined
  return overload.problem() ?? undefined
}
