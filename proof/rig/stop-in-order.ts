import type { GatewayProcess } from '../../packages/server/testing/start-gateway-process.ts'
import type { Rig } from './gateway-rig.ts'
import { until } from './until.ts'

/** The longest that the last holds may take once nothing is asked any more, in milliseconds. */
const SETTLE_MS_MAX = 60_000

/** Stops a gateway once every request is settled. @returns what went wrong, in words. */
export async function stopInOrder(rig: Rig, gateway: GatewayProcess): Promise<readonly string[]> {
  const isSettled = await until(async () => (await rig.openHolds()) === 0, SETTLE_MS_MAX)
  gateway.signal('SIGTERM')
  const { code, signal } = await gateway.exited
  return [
    ...(isSettled ? [] : ['holds stay open']),
    ...(code === 0 ? [] : [`the gateway ended with ${code ?? signal}: ${gateway.output()}`]),
  ]
}

/** Audits. @returns what it finds, in words. */
export async function auditFaults(rig: Rig): Promise<readonly string[]> {
  const { code, output } = await rig.audit()
  return code === 0 ? [] : [output]
}
