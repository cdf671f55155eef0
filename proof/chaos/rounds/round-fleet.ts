/** The gateways of the rounds, each behind a network of its own to its database, with a clock and a folder of its own. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '../../../packages/server/testing/free-port.mjs'
import { startTcpProxy, type TcpProxy } from '../../../packages/server/testing/tcp-proxy.ts'
import type { GatewayProcess } from '../../../packages/server/testing/start-gateway-process.ts'
import type { Rig } from '../../rig/gateway-rig.ts'
import { isLostLease } from '../../rig/log-faults.ts'
import { until } from '../../rig/until.ts'

const MOVED_CLOCK = fileURLToPath(new URL('./moved-clock.ts', import.meta.url))
/** A gateway that has its database and its time says so within this, in milliseconds. */
const HEALTHY_MS_MAX = 30_000
/** A stop that takes longer was not orderly, in milliseconds. */
const STOP_MS_MAX = 60_000

/** One gateway, whichever process it is at the time. */
export interface Member {
  readonly port: number
  /** Its volume. */
  readonly dataDir: string
  /** The way to its database, where that can be broken; null on SQLite. */
  readonly proxy: TcpProxy | null
  /** Null while it is not started. */
  pid(): number | null
  /** Sets its clock to so many milliseconds beside the true time. */
  moveClock(ms: number): void
  /** Stops it where it is, until it is thawed. */
  freeze(): void
  thaw(): void
  /** Ends it at once. Resolves when it is gone. */
  kill(): Promise<void>
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>
  /** Starts it again, with the clock that it had. */
  start(): Promise<void>
}

export interface RoundFleet {
  readonly members: readonly Member[]
  readonly ports: readonly number[]
  /** What went wrong without being asked to, since the last call. */
  takeFaults(): readonly string[]
  /** How often a gateway ended its streams since it could not renew its lease in time, since the last call. */
  takeLostLeases(): number
  /** @returns ports of those that do not say that they are well in time. */
  unwell(): Promise<readonly number[]>
  /** Stops all in order. @returns their exit codes. */
  stop(): Promise<readonly (number | null)[]>
  /** Ends whatever still runs. */
  close(): Promise<void>
}

async function isWell(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`, { signal: AbortSignal.timeout(5_000) })
    const { database } = (await response.json()) as { readonly database?: string }
    // Its upstream fails on purpose.
    return database === 'ok'
  } catch {
    return false
  }
}

interface Slot {
  gateway: GatewayProcess | null
  movedMs: number
}

interface Watch {
  readonly onLine: (line: string) => void
  lostLeases: number
  readonly faults: string[]
  readonly doomed: Set<number>
}

/** How a gateway reaches its database. */
interface Way {
  /** Null on SQLite. */
  readonly url: string | null
  readonly proxy: TcpProxy | null
}

async function openWay({ place: { url } }: Rig): Promise<Way> {
  if (url === null) return { url, proxy: null }
  const proxy = await startTcpProxy(url)
  return { url: proxy.through(url), proxy }
}

async function openMember(
  rig: Rig,
  index: number,
  { url, proxy }: Way,
  watch: Watch,
): Promise<{ member: Member; slot: Slot }> {
  const port = await findFreePort()
  const dataDir = url === null ? rig.place.dataDir : join(rig.place.dataDir, String(index))
  await mkdir(dataDir, { recursive: true })
  const database = url === null ? {} : { SVC_DATABASE_URL: url }
  const slot: Slot = { gateway: null, movedMs: 0 }
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    const { gateway } = slot
    if (gateway === null) return
    watch.doomed.add(gateway.pid)
    gateway.signal(signal)
    const killing = setTimeout(() => {
      watch.faults.push(`the gateway at ${port} did not stop in time`)
      gateway.signal('SIGKILL')
    }, STOP_MS_MAX)
    await gateway.exited
    clearTimeout(killing)
    slot.gateway = null
  }
  const member: Member = {
    ...{ port, proxy, dataDir },
    pid: () => slot.gateway?.pid ?? null,
    moveClock(ms) {
      slot.movedMs = ms
      slot.gateway?.child.send({ movedMs: ms })
    },
    freeze: () => slot.gateway?.signal('SIGSTOP'),
    thaw: () => slot.gateway?.signal('SIGCONT'),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    async start() {
      if (slot.gateway !== null) return
      const gateway = await rig.start(port, {
        nodeOptions: ['--import', MOVED_CLOCK],
        env: { SVC_DATA_DIR: dataDir, ...database },
        onLine: (line) => {
          if (isLostLease(line)) watch.lostLeases++
          watch.onLine(line)
        },
      })
      slot.gateway = gateway
      if (slot.movedMs !== 0) gateway.child.send({ movedMs: slot.movedMs })
      void gateway.exited.then(({ code, signal }) => {
        if (watch.doomed.delete(gateway.pid)) return
        slot.gateway = null
        watch.faults.push(`the gateway at ${port} ended by itself with ${code ?? signal}: ${gateway.output()}`)
      })
    },
  }
  return { member, slot }
}

export interface RoundFleetOptions {
  /** By which each reaches its database; absent gives each a network of its own. */
  readonly urls?: readonly string[]
  /** Sees each line of every log. */
  readonly onLine?: (line: string) => void
}

/** Starts so many gateways. */
export async function startRoundFleet(
  rig: Rig,
  size: number,
  { urls, onLine = () => undefined }: RoundFleetOptions = {},
): Promise<RoundFleet> {
  const watch: Watch = { onLine, lostLeases: 0, faults: [], doomed: new Set() }
  const opened: { member: Member; slot: Slot }[] = []
  for (let index = 0; index < size; index++) {
    const url = urls?.[index]
    const way = url === undefined ? await openWay(rig) : { url, proxy: null }
    opened.push(await openMember(rig, index, way, watch))
  }
  const members = opened.map(({ member }) => member)
  await Promise.all(members.map((member) => member.start()))
  return {
    members,
    ports: members.map(({ port }) => port),
    takeFaults: () => watch.faults.splice(0),
    takeLostLeases() {
      const lost = watch.lostLeases
      watch.lostLeases = 0
      return lost
    },
    async unwell() {
      const well = await Promise.all(members.map(({ port }) => until(() => isWell(port), HEALTHY_MS_MAX)))
      return members.flatMap(({ port }, index) => (well[index] === true ? [] : [port]))
    },
    async stop() {
      const gateways = opened.map(({ slot }) => slot.gateway)
      await Promise.all(members.map((member) => member.stop()))
      return Promise.all(gateways.map(async (gateway) => (gateway === null ? null : (await gateway.exited).code)))
    },
    async close() {
      await Promise.all(members.map((member) => member.kill()))
      await Promise.all(members.map(async ({ proxy }) => proxy?.close()))
    },
  }
}
