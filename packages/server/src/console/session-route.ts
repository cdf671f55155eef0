/** How a route of the console finds out who calls, from where, and what they may do. */
import type { ConsoleEndpoint } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { parseBySchema } from '../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { countStructure, parseJson } from '../pipeline/json-call.ts'
import { isFresh, type Session } from '../access/sign-in/sign-in.ts'
import type { Membership } from '../access/teams/membership.ts'
import { callerAddress } from '../edge/caller-address.ts'
import { compressAnswer } from '../edge/compress-answer.ts'
import type { PageRoutesDeps } from './page-routes-deps.ts'
import type { RouteKit } from '../edge/route-kit.ts'
import { readBody } from '../edge/read-body.ts'
import { type RouteCall, routePattern } from '../edge/route.ts'
import { answerNamed } from './answer-named.ts'
import type { ConsoleDeps } from './console-deps.ts'

/** Bodies of the console are small. Source: own choice. */
const BODY_BYTES_MAX = 64 * 1024

type PartOf<Row extends ConsoleEndpoint, Part extends 'path' | 'query' | 'body'> = Row['request'] extends {
  readonly [Key in Part]: infer Schema extends z.ZodType
}
  ? z.output<Schema>
  : undefined

/** One call of a person who is signed in, its parts parsed by the row's schemas. */
export interface ConsoleCall<Row extends ConsoleEndpoint> extends RouteCall {
  readonly session: Session
  /** The person's place in the team of the path; null for rows that belong to no team. */
  readonly membership: Membership
  readonly path: PartOf<Row, 'path'>
  readonly query: PartOf<Row, 'query'>
  readonly body: PartOf<Row, 'body'>
}

/** What every mounted row is given. */
export interface ConsoleEdge {
  readonly edge: PageRoutesDeps
  readonly console: ConsoleDeps
}

/**
 * Refuses what another site makes a browser send: browsers name the origin of whatever changes something.
 *
 * @throws {ServiceError} 403.
 */
export function requireOwnOrigin(deps: Pick<ConsoleDeps, 'origins'>, { request }: RouteCall): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const origins = deps.origins()
  if (origins.includes(request.headers.origin ?? '')) return
  throw new ServiceError('foreign_origin', `Only pages of ${origins[0]} may do this.`)
}

/**
 * The session of a call; null where its browser is not signed in. Calls are counted by person: many may sit behind one
 * address. The address counts only those without a session, whose cookies end at their signature, before the database
 * is asked.
 *
 * @throws {ServiceError} 429 for too many calls.
 */
export async function findVisitor(
  { edge, console: deps }: ConsoleEdge,
  { request }: RouteCall,
): Promise<Session | null> {
  // The library is not loaded to learn that there is no session.
  const { cookie } = request.headers
  const session = cookie === undefined ? null : await (await deps.signIn()).findSession(cookie)
  if (session === null) edge.limits.perAddress.take(callerAddress(request.ip))
  else await deps.perUser.take(session.user.userId)
  return session
}

/** @throws {ServiceError} 401 without a session, 429 for too many calls. */
async function requireSession(parts: ConsoleEdge, call: RouteCall): Promise<Session> {
  const session = await findVisitor(parts, call)
  if (session === null) throw notSignedIn()
  return session
}

/** For a caller whose browser is not signed in, or not any more. */
export function notSignedIn(): ServiceError {
  return new ServiceError('not_signed_in', 'Sign in first.')
}

/** Reads a body of the console. @throws {ServiceError} where it is no JSON, or too large. */
export async function readJson(edge: RouteKit, { request }: RouteCall): Promise<unknown> {
  if (request.headers['content-type']?.split(';')[0]?.trim() !== 'application/json') {
    throw new ServiceError('unsupported_media_type', 'The body must be JSON (content type application/json).')
  }
  const read = await readBody(request.raw, { bytesMax: BODY_BYTES_MAX, budget: edge.limits.bodies })
  try {
    return parseJson(countStructure(read.body).text)
  } finally {
    read.release()
  }
}

function parseParts<Row extends ConsoleEndpoint>({ request }: RouteCall, row: Row, sent: unknown) {
  const { path, query, body } = row.request
  return {
    path: (path === undefined ? undefined : parseBySchema(path, request.params)) as PartOf<Row, 'path'>,
    query: (query === undefined ? undefined : parseBySchema(query, request.query)) as PartOf<Row, 'query'>,
    body: (body === undefined ? undefined : parseBySchema(body, sent)) as PartOf<Row, 'body'>,
  }
}

interface Arrived {
  readonly session: Session
  /** The body as JSON, unchecked; undefined for rows without one. */
  readonly sent: unknown
}

/**
 * The body, and the session as it is once the body is there: a sender decides how long a body takes, and a session that
 * ends meanwhile ends for this request, too. Bodies are read for those alone who are signed in when they begin.
 *
 * @throws {ServiceError} 401, 429; and what `readJson` throws.
 */
async function arrive(parts: ConsoleEdge, call: RouteCall, row: ConsoleEndpoint): Promise<Arrived> {
  const session = await requireSession(parts, call)
  if (row.request.body === undefined) return { session, sent: undefined }
  const sent = await readJson(parts.edge, call)
  const { cookie } = call.request.headers
  const present = await (await parts.console.signIn()).findSession(cookie)
  if (present === null) throw notSignedIn()
  return { session: present, sent }
}

/** The team that the path names, where the row needs a role in one. */
async function membershipFor(deps: ConsoleDeps, session: Session, row: ConsoleEndpoint, params: unknown) {
  const { permission } = row
  if (permission === null || permission === 'public') return null
  const { userId } = session.user
  if (permission === 'operator') {
    if (await deps.isOperator(userId)) return null
    throw new ServiceError('role_denied', 'This is for the operator of the gateway.')
  }
  const teamId: unknown = Reflect.get(Object(params), 'team_id')
  return deps.authorize(userId, String(teamId), permission)
}

/**
 * Mounts a row that needs a session. Cookies are believed here and nowhere else; answers are never kept by a cache.
 *
 * @param handle returns the JSON body.
 */
export function mountSession<Row extends ConsoleEndpoint>(
  app: FastifyInstance,
  parts: ConsoleEdge,
  row: Row,
  handle: (call: ConsoleCall<Row>) => unknown,
): void {
  const { edge, console: deps } = parts
  app.route({
    method: row.method,
    url: routePattern(row),
    ...(row.method === 'GET' ? { onSend: compressAnswer } : {}),
    handler: async (request, reply) => {
      const call = { request, reply }
      reply.header('cache-control', 'no-store')
      requireOwnOrigin(deps, call)
      const { session, sent } = await arrive(parts, call, row)
      // Asked once the body is there, so that what was taken away meanwhile counts, and before it is checked: a person
      // who may not do it does not learn what would be wrong with it.
      const membership = await membershipFor(deps, session, row, request.params)
      if (row.isSensitive === true && !isFresh(session, edge.clock.now())) {
        throw new ServiceError('sign_in_again', 'Sign in again to do this: your last sign-in is too long ago.')
      }
      const given = parseParts(call, row, sent)
      // Rows without a team never read it; the type is kept simple for the many that do.
      const work = (): unknown => handle({ ...call, ...given, session, membership: membership as Membership })
      if (row.isIdempotent !== true) return work()
      const { idempotency } = deps
      return answerNamed({ edge, idempotency }, call, { row, session, given, work })
    },
  })
}
