import { type DeviceTokenReply, endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { DEVICE_POLL_SECONDS, pollDevice } from '../../access/devices/device-sign-in.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { readPublicBody } from '../read-public-body.ts'
import { mountPublic } from '../route.ts'
import type { DeviceRoutesDeps } from '../routes-deps.ts'

/** POST /v1/device/token. */
export function v1DeviceToken(app: FastifyInstance, deps: DeviceRoutesDeps): void {
  mountPublic(app, deps, endpoints.pollDeviceToken, async (call) => {
    const body = parseBySchema(endpoints.pollDeviceToken.request.body, await readPublicBody(deps, call))
    call.reply.header('cache-control', 'no-store')
    const state = await pollDevice(deps.devices, body.device_code)
    return {
      object: 'device_token',
      status: state.status,
      interval: DEVICE_POLL_SECONDS,
      key: state.status === 'approved' ? state.key : null,
    } satisfies DeviceTokenReply
  })
}
