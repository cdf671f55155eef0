/** The gateways of a chaos run: killed at random moments, each restarted on its port. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../packages/server/testing/random.ts'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import type { GatewayProcess } from '../../packages/server/testing/start-gateway-process.ts'
import type { Rig } from '../rig/gateway-rig.ts'
import { isFault, isLostLease } from '../rig/log-faults.ts'

export interface Fleet {
  readonly ports: readonly number[]
  /** What went wrong without being asked to: an end that the run did not cause, a fault in the log. */
  readonly faults: readonly string[]
  /** How often a process could not renew its lease in time, and ended its streams as it must. */
  readonly lostLeases: () => number
  /**
   * Kills one gateway, now or in the middle of its orderly stop, and starts it again. @returns milliseconds
   * until it answered.
   */
  kill(random: Random): Promise<number>
  /** Stops all in order. @returns their exit codes. */
  stop(): Promise<readonly (number | null)[]>
}

/** A stop that takes longer than this was not orderly, in milliseconds. */
const STOP_MS_MAX = 60_000

/** Starts so many gateways. */
export async function startFleet(rig: Rig, size: number): Promise<Fleet> {
  const ports = await Promise.all(Array.from({ length: size }, findFreePort))
  const faults: string[] = []
  let lostLeases = 0
  const living = new Map<number, GatewayProcess>()
  const doomed = new Set<number>()
  const killAll = (): void => {
    for (const gateway of living.values()) gateway.signal('SIGKILL')
  }

  const start = async (port: number): Promise<void> => {
    const onLine = (line: string): void => {
      if (isLostLease(line)) lostLeases++
      else if (isFault(line)) faults.push(`a gateway logged: ${line.slice(0, 2_000)}`)
    }
    const gateway = await rig.start(port, { onLine })
    living.set(port, gateway)
    void gateway.exited.then(({ code, signal }) => {
      if (!doomed.delete(gateway.pid))
        faults.push(`a gateway ended by itself with ${code ?? signal}: ${gateway.output()}`)
    })
  }
  for (const port of ports) await start(port)

  return {
    ports,
    faults,
    lostLeases: () => lostLeases,
    async kill(random) {
      const port = random.pick(ports)
      const gateway = living.get(port)
      if (gateway === undefined) throw new Error('a gateway is missing')
      doomed.add(gateway.pid)
      if (random.below(6) === 0) {
        gateway.signal('SIGTERM')
        await wait(random.below(300))
      }
      gateway.signal('SIGKILL')
      await gateway.exited
      const startedAt = performance.now()
      await start(port)
      return performance.now() - startedAt
    },
    async stop() {
      const gateways = [...living.values()]
      for (const gateway of gateways) {
        doomed.add(gateway.pid)
        gateway.signal('SIGTERM')
      }
      const killing = setTimeout(killAll, STOP_MS_MAX)
      const exits = await Promise.all(gateways.map((gateway) => gateway.exited))
      clearTimeout(killing)
      return exits.map((exit) => exit.code)
    },
  }
}
