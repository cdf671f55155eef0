import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { callerAddress } from '../caller-address.ts'
import type { MediaRoutesDeps } from '../routes-deps.ts'
import { type RouteCall, routePattern } from '../route.ts'
import { sendMedia } from '../send-media.ts'

/**
 * Refuses requests without the signature. Wrong ones count as wrong keys do; right ones count nowhere, since one page
 * may show many files and a player asks for many parts.
 */
function admitAddress({ media, limits }: MediaRoutesDeps, { request }: RouteCall, name: string): void {
  const address = callerAddress(request.ip)
  const worth = media.signer.verify(`/v1/media/${name}`, Object(request.query))
  if (worth === 'valid') return
  limits.failedAuth.take(address)
  if (worth === 'expired') throw new ServiceError('content_expired', 'This URL has expired.')
  throw new ServiceError('invalid_signature', 'This address is not one that the gateway has made.')
}

/** GET /v1/media/{name}. Public: the signature in the address is what opens it. */
export function v1MediaName(app: FastifyInstance, deps: MediaRoutesDeps): void {
  const { files } = deps.media
  app.route({
    method: ['GET', 'HEAD'],
    url: routePattern(endpoints.getMedia),
    handler: async (request, reply) => {
      const call = { request, reply }
      const { name } = parseBySchema(endpoints.getMedia.request.path, request.params)
      admitAddress(deps, call, name)
      const facts = await files.head(name)
      if (facts === null) throw new ServiceError('file_not_found', 'This file does not exist or was removed.')
      return sendMedia(call, {
        ...{ version: name, fileName: name, contentType: facts.contentType, bytes: facts.bytes },
        maxAgeSeconds: (facts.expiresAt - deps.clock.now()) / 1_000,
        open: (range) => files.open(name, range),
      })
    },
  })
}
