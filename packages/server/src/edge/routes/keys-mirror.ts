import { endpoints, type MirrorReply, type MirrorRequestBody } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { mirrorKey } from '../../access/keys/mirror-key.ts'
import type { MirrorRoutesDeps } from '../routes-deps.ts'
import { mountAtBothAddresses } from '../mount-at-both-addresses.ts'
import { readObjectBody } from '../read-object-body.ts'

async function mirror(deps: MirrorRoutesDeps, caller: Caller, body: MirrorRequestBody): Promise<MirrorReply> {
  // A caller who may not is refused whatever the limit says, and uses none of it up.
  const refusal = caller.rights.has('keys') ? await deps.limits.mirrors.take(caller.keyId) : null
  if (refusal !== null) {
    return { mirrored: false, reason: 'throttled', retry_after: Math.ceil(refusal.waitMs / 1_000) }
  }
  try {
    return await mirrorKey(deps.mirrors, caller, body)
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) throw error
    deps.log.error({ err: error }, 'a key could not be mirrored')
    return { mirrored: false, reason: 'unavailable' }
  }
}

/** POST /keys/mirror. Best effort: a failure of ours is an answer, too. Source: spec 2.11, 4. */
export function keysMirror(app: FastifyInstance, deps: MirrorRoutesDeps): void {
  mountAtBothAddresses(app, deps, endpoints.mirrorKey, async (call) => {
    const { caller, value } = await readObjectBody(deps, call, endpoints.mirrorKey)
    return mirror(deps, caller, parseBySchema(endpoints.mirrorKey.request.body, value))
  })
}
