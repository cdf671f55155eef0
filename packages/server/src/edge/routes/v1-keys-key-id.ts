import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { revokeFollower } from '../../access/keys/follower-keys.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { mountKeyed } from '../route.ts'
import type { KeyRoutesDeps } from '../routes-deps.ts'

/** DELETE /v1/keys/{key_id}. What has not the form of an id is the id of no key. */
export function v1KeysKeyId(app: FastifyInstance, deps: KeyRoutesDeps): void {
  mountKeyed(app, deps, endpoints.revokeApiKey, async ({ request }, caller) => {
    const path = endpoints.revokeApiKey.request.path.safeParse(request.params)
    if (!path.success) throw new ServiceError('key_not_found', 'There is no such key.', { param: 'key_id' })
    await revokeFollower(deps.followers, caller, path.data.key_id)
    return { id: path.data.key_id, object: 'api_key.deleted', deleted: true }
  })
}
