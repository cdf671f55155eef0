/** Hands requests of the sign-in pages to the sign-in room, and its answers back. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import { countStructure } from '../pipeline/json-call.ts'
import { ADDRESS_HEADER, DEMO_PATH } from '../access/sign-in/sign-in-paths.ts'
import { callerAddress, plainAddress } from '../edge/caller-address.ts'
import { isLocalCaller } from '../edge/local-caller.ts'
import { readBody } from '../edge/read-body.ts'
import { type ConsoleEdge, requireOwnOrigin } from './session-route.ts'

/** What the sign-in library may see of a browser's headers. */
const FORWARDED = ['content-type', 'cookie', 'origin', 'user-agent', 'accept', 'sec-fetch-site', 'sec-fetch-mode']
/** Room for the signature of a contract that is yet to be made. */
const BODY_BYTES_MAX = 32 * 1024

function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers()
  for (const name of FORWARDED) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  // Never the client's own word for it: limits count by this address, and the list of sessions shows it.
  const address = plainAddress(request.ip)
  if (address !== null) headers.set(ADDRESS_HEADER, address)
  return headers
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status).header('cache-control', 'no-store')
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie' && name !== 'content-length') reply.header(name, value)
  }
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie)
  return reply.send(Buffer.from(await response.arrayBuffer()))
}

/** The one way in that asks for no proof. */
function isDemo({ url }: FastifyRequest): boolean {
  return new URL(url, 'http://localhost').pathname.endsWith(DEMO_PATH)
}

/** Mounts `/auth/*`. */
export function mountSignInPages(app: FastifyInstance, { edge, console: deps }: ConsoleEdge): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/auth/*',
    handler: async (request, reply) => {
      edge.limits.perAddress.take(callerAddress(request.ip))
      requireOwnOrigin(deps, { request, reply })
      if (isDemo(request) && !isLocalCaller(request)) {
        throw new ServiceError('role_denied', 'The demo user signs in on the gateway’s own machine alone.')
      }
      const signIn = await deps.signIn()
      const init: RequestInit = { method: request.method, headers: headersOf(request) }
      if (request.method === 'POST') {
        const { body, release } = await readBody(request.raw, {
          bytesMax: BODY_BYTES_MAX,
          budget: edge.limits.bodies,
        })
        release()
        countStructure(body)
        init.body = new Uint8Array(body)
      }
      return send(reply, await signIn.answer(new Request(new URL(request.url, deps.origins()[0]), init)))
    },
  })
}
