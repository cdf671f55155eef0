import { endpoints } from '@svc/contract'
import { parseTilePath, tileWidth } from '@svc/contract/log/tiles'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { type LogRoutesDeps, mountLog } from '../log-routes.ts'

/** A tile never changes. Where the log is for keys alone, so is every copy of it. */
const FOR_EVER = 'max-age=31536000, immutable'

/** GET /log/tile/{id}. Hashes of the ledger log, as far as a checkpoint was signed over them. */
export function logTileId(app: FastifyInstance, deps: LogRoutesDeps): void {
  const { log, store, isPublished } = deps.ledgerLog
  mountLog(app, deps, endpoints.getLogTile, async ({ request, reply }) => {
    const tile = parseTilePath(`tile/${String(Reflect.get(Object(request.params), '*'))}`)
    const published = await log.published()
    const isSigned = tile !== null && tile.width <= tileWidth(tile.level, tile.index, published?.size ?? 0)
    const hashes = isSigned ? await store.readTile(tile) : null
    if (hashes === null) throw new ServiceError('file_not_found', 'The ledger log has no such tile.', { param: 'id' })
    reply.type('application/octet-stream').header('cache-control', `${isPublished ? 'public' : 'private'}, ${FOR_EVER}`)
    return Buffer.from(hashes)
  })
}
