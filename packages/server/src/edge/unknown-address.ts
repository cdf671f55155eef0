/** What is said of an address without an endpoint. */
import { endpointList } from '@svc/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import { callerAddress } from './caller-address.ts'
import type { RouteKit } from './route-kit.ts'
import { likelyPath } from './likely-path.ts'
import { routePattern } from './route.ts'

/** Longer paths are not compared: no endpoint's address is near, and its parameters are short. */
const COMPARED_LENGTH_MAX = 1_024
/** So much of a path is quoted. */
const TOLD_LENGTH_MAX = 200

interface Place {
  readonly method: string
  /** Segments below `/api`; one that begins with `:` matches any, and a last `*` all that follow. */
  readonly segments: readonly string[]
}

const places: readonly Place[] = endpointList.flatMap((endpoint) => {
  const pattern = routePattern(endpoint)
  const paths = endpoint.standsAtOrigin === true ? [pattern, `/api${pattern}`] : [pattern]
  return paths.map((path) => ({ method: endpoint.method, segments: ['api', ...path.slice(1).split('/')] }))
})

function standsAt({ segments }: Place, path: readonly string[]): boolean {
  const isOpen = segments.at(-1) === '*'
  if (isOpen ? path.length < segments.length : path.length !== segments.length) return false
  return segments.every((segment, at) => segment === path[at] || segment === '*' || (segment[0] === ':' && path[at]))
}

/** Whether an address has no parameter. */
const isLiteral = ({ segments }: Place): boolean => !segments.some((segment) => segment === '*' || segment[0] === ':')

/** The places of an address: those of that very one, else those whose parameters it fits. */
function placesAt(path: readonly string[]): readonly Place[] {
  const found = places.filter((place) => standsAt(place, path))
  const own = found.filter(isLiteral)
  return own.length > 0 ? own : found
}

/** Which methods an address has, where it has any: for the difference between 404 and 405. */
function methodsAt(path: string): readonly string[] {
  if (path.length > COMPARED_LENGTH_MAX) return []
  return placesAt(path.slice(1, path.endsWith('/') ? -1 : undefined).split('/')).map(({ method }) => method)
}

/**
 * Refuses methods that an address has not, and that a neighbour with a parameter would take there: `DELETE
 * /v1/videos/models` is no job.
 */
export function mountUntakenMethods(api: FastifyInstance, kit: Pick<RouteKit, 'limits'>): void {
  for (const segments of new Map(
    places.filter(isLiteral).map((place) => [place.segments.join('/'), place.segments]),
  ).values()) {
    const own = new Set(placesAt(segments).map(({ method }) => method))
    const others = places.filter((place) => !own.has(place.method) && standsAt(place, segments))
    for (const method of new Set(others.map((place) => place.method))) {
      api.route({ method, url: `/${segments.slice(1).join('/')}`, handler: (request) => refuseUnknown(kit, request) })
    }
  }
}

/** Methods of which the framework has rules of its own, and no address has one. */
const ORDINARY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * What is wrong with a request by a method that no address has, such as QUERY, before anything else looks at it.
 *
 * @returns undefined for every other request.
 */
export function methodProblem(kit: Pick<RouteKit, 'limits'>, request: FastifyRequest): ServiceError | undefined {
  return ORDINARY.has(request.method) ? undefined : unknownAddress(kit, request)
}

/**
 * Refuses a request to an unknown address, and counts it as one without a key.
 *
 * @throws {ServiceError} 404, 405, and 429 to a client that asks too often.
 */
export function refuseUnknown(kit: Pick<RouteKit, 'limits'>, request: FastifyRequest): never {
  throw unknownAddress(kit, request)
}

function unknownAddress({ limits }: Pick<RouteKit, 'limits'>, request: FastifyRequest): ServiceError {
  try {
    limits.perAddress.take(callerAddress(request.ip))
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  const path = request.url.split('?', 1)[0] ?? ''
  const methods = methodsAt(path)
  if (methods.length > 0) {
    const allow = [...new Set(methods)].join(', ')
    return new ServiceError('method_not_allowed', `This address answers ${allow} only.`, { headers: { allow } })
  }
  const known = likelyPath(path, (candidate) => methodsAt(candidate).includes(request.method))
  const hint = known === null ? '' : ` Did you mean ${known}?`
  return new ServiceError(
    'unknown_url',
    `There is nothing at ${request.method} ${path.slice(0, TOLD_LENGTH_MAX)}.${hint}`,
  )
}
