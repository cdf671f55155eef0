/** Memory, handles, CPU and event loop of a gateway process, from `/proc` and from the probe within. */
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { GatewayProcess } from '../../packages/server/testing/start-gateway-process.ts'
import { within } from '../rig/until.ts'

/** One look at a process. */
export interface Sample {
  /** Since the first sample, in seconds. */
  readonly atSeconds: number
  /** Resident memory in bytes; 0 where there is no `/proc`. */
  readonly rss: number
  readonly heapUsed: number
  /** Whether garbage was collected before, so that `heapUsed` is what is kept. */
  readonly isCollected: boolean
  /** Open file descriptors: sockets, files, pipes. */
  readonly handles: number
  /** CPU of all its threads so far, in milliseconds. */
  readonly cpuMs: number
  /** Delay of the event loop since the last sample, in milliseconds; the probe's own timer is 10 of them. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

interface ProbeAnswer {
  readonly heapUsed: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export const PROBE = new URL('event-loop-probe.ts', import.meta.url).href

/** Clock ticks a second in `/proc`. Source: proc(5); 100 on every common Linux. */
const TICKS_PER_SECOND = 100
const PROBE_MS_MAX = 10_000

function readProc(pid: number): Pick<Sample, 'rss' | 'handles' | 'cpuMs'> {
  const folder = `/proc/${pid}`
  if (!existsSync(folder)) return { rss: 0, handles: 0, cpuMs: 0 }
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1] ?? '0'
  const fields = readFileSync(`${folder}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  const handles = readdirSync(`${folder}/fd`).length
  return { rss: Number(kilobytes) * 1_024, handles, cpuMs: (ticks * 1_000) / TICKS_PER_SECOND }
}

/** Looks at one process again and again. */
export class ProcessMeter {
  readonly #gateway: GatewayProcess
  readonly #startedAt = performance.now()
  readonly samples: Sample[] = []

  constructor(gateway: GatewayProcess) {
    this.#gateway = gateway
  }

  /** @throws when the process does not answer within 10 s. */
  sample(): Promise<Sample> {
    return this.#ask('measure')
  }

  /** The same after a collection of garbage, which halts the process for some milliseconds. */
  sampleCollected(): Promise<Sample> {
    return this.#ask('collect')
  }

  async #ask(what: 'measure' | 'collect'): Promise<Sample> {
    const { child, pid } = this.#gateway
    const answered = once(child, 'message')
    child.send(what)
    const message = await within(answered, PROBE_MS_MAX)
    if (message === null) throw new Error('the gateway does not answer its probe')
    const { heapUsed, p50Ms, p99Ms, maxMs } = (message as [ProbeAnswer])[0]
    const atSeconds = (performance.now() - this.#startedAt) / 1_000
    const isCollected = what === 'collect'
    const sample = { atSeconds, ...readProc(pid), heapUsed, isCollected, p50Ms, p99Ms, maxMs }
    this.samples.push(sample)
    return sample
  }
}

/** Slope of a line through points, by least squares: units of y for each unit of x; 0 with fewer than two points. */
export function slopeOf(points: readonly (readonly [number, number])[]): number {
  const count = points.length
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / count
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / count
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  if (count < 2 || spread === 0) return 0
  return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread
}
