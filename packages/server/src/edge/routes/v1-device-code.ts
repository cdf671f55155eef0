import { type DeviceCodeReply, endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { DEVICE_CODE_MS, DEVICE_POLL_SECONDS, requestDevice } from '../../access/devices/device-sign-in.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { callerAddress } from '../caller-address.ts'
import { readPublicBody } from '../read-public-body.ts'
import { mountPublic } from '../route.ts'
import type { DeviceRoutesDeps } from '../routes-deps.ts'

/** POST /v1/device/code. */
export function v1DeviceCode(app: FastifyInstance, deps: DeviceRoutesDeps): void {
  mountPublic(app, deps, endpoints.requestDeviceCode, async (call) => {
    deps.limits.deviceCodes.take(callerAddress(call.request.ip))
    const body = parseBySchema(endpoints.requestDeviceCode.request.body, await readPublicBody(deps, call))
    call.reply.header('cache-control', 'no-store')
    const codes = await requestDevice(deps.devices, {
      ...{ deviceName: body.device_name, wantsKeys: body.wants_keys === true, address: call.request.ip },
    })
    return {
      object: 'device_code',
      device_code: codes.deviceCode,
      user_code: codes.userCode,
      verification_uri: `${deps.consoleUrl()}/device`,
      expires_in: DEVICE_CODE_MS / 1_000,
      interval: DEVICE_POLL_SECONDS,
    } satisfies DeviceCodeReply
  })
}
