/** What both kinds of soak run on: one gateway with its probe, a steady upstream, and an account that can pay. */
import type { DatabaseEngine } from '../../packages/server/src/platform/db/database.ts'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import { openRig } from '../rig/gateway-rig.ts'
import { auditFaults, stopInOrder } from '../rig/stop-in-order.ts'
import { PROBE, ProcessMeter } from './measure-process.ts'
import { startSteadyUpstream, type SteadyUpstream } from './steady-upstream.ts'

export interface SoakStage {
  readonly upstream: SteadyUpstream
  readonly port: number
  readonly rawKey: string
  readonly meter: ProcessMeter
  /** Stops the gateway and audits. @returns what went wrong, in words. */
  end(): Promise<readonly string[]>
}

export interface StageOptions {
  readonly engine: DatabaseEngine
  readonly postgresUrl: string | null
}

const CREDITS = 1_000_000_000n

/** Sets it up. */
export async function openSoakStage(options: StageOptions): Promise<SoakStage> {
  const upstream = await startSteadyUpstream()
  const rig = await openRig({ ...options, upstreamUrl: upstream.url })
  const account = await rig.createAccount('soak', CREDITS)
  const { rawKey } = await rig.createKey(account)
  const port = await findFreePort()
  const gateway = await rig.start(port, { nodeOptions: ['--expose-gc', '--import', PROBE] })
  return {
    ...{ upstream, port, rawKey, meter: new ProcessMeter(gateway) },
    async end() {
      const faults = [...(await stopInOrder(rig, gateway)), ...(await auditFaults(rig))]
      await rig.close()
      await upstream.close()
      return faults
    },
  }
}
