/** The routes by which a person signs a terminal in. */
import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { approveDevice, denyDevice, findDevice } from '../access/devices/device-sign-in.ts'
import { callerAddress } from '../edge/caller-address.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'
import { reachOf, requireActive } from './team-keys.ts'

export function mountDevices(app: FastifyInstance, parts: ConsoleEdge): void {
  const { devices, perDevice } = parts.console
  mountSession(app, parts, consoleEndpoints.findDevice, async ({ session, body, request }) => {
    await perDevice.take(session.user.userId)
    const found = await findDevice(devices, body.user_code)
    return {
      device_name: found.deviceName,
      address: found.address,
      is_same_address: callerAddress(found.address) === callerAddress(request.ip),
      wants_keys: found.wantsKeys,
      requested_at: Math.floor(found.createdAt / 1_000),
      expires_at: Math.floor(found.expiresAt / 1_000),
    }
  })
  mountSession(app, parts, consoleEndpoints.denyDevice, async ({ session, body }) => {
    await perDevice.take(session.user.userId)
    await denyDevice(devices, body.user_code)
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.approveDevice, async ({ body, ...person }) => {
    requireActive(person.membership)
    await perDevice.take(person.session.user.userId)
    const { user_code: userCode, makes_keys: makesKeys, expires_at: expiresAt } = body
    const grant = { makesKeys, expiresAt: expiresAt === null ? null : expiresAt * 1_000 }
    const made = await approveDevice(devices, reachOf(person), { userCode, grant })
    return { id: made.keyId, name: made.name }
  })
}
