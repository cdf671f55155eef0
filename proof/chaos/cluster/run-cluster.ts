/**
 * A cluster of three nodes, gateways before it, and one event after the other under load. Everything is in one folder
 * and one namespace, and gone at the end, also where the run is interrupted.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makePostgresDatabase } from '../../../packages/server/testing/fresh-database.ts'
import { createRandom } from '../../../packages/server/testing/random.ts'
import { openRig, type Rig } from '../../rig/gateway-rig.ts'
import { onInterrupt } from '../../rig/on-interrupt.ts'
import { until } from '../../rig/until.ts'
import { finishRound, makePeople } from '../rounds/finish-round.ts'
import { paidRoutes } from '../rounds/paid-kinds.ts'
import { type PaidLine, type PaidUpstream, startPaidUpstream } from '../rounds/paid-upstream.ts'
import { type RoundFleet, startRoundFleet } from '../rounds/round-fleet.ts'
import { type ClusterEvent, playClusterEvent } from './cluster-events.ts'
import { type ClusterLoad, startClusterLoad } from './cluster-load.ts'
import { lastTakenAt, measureOutage, type Outage, sumBooks, type Sums } from './measure-event.ts'
import { type ClusterSetup, keepLogs, type PatroniCluster, startPatroniCluster } from './patroni-cluster.ts'

export interface ClusterOptions {
  readonly seed: number
  readonly setup: ClusterSetup
  readonly events: readonly ClusterEvent[]
  /** Requests a second, and streams that are open beside them. */
  readonly rate: number
  readonly streams: number
  /** Where the cluster's logs are put at the end; null forgets them. */
  readonly logs: string | null
  readonly onEvent?: (report: EventReport) => void
}

export interface EventReport {
  readonly event: ClusterEvent
  readonly what: string
  readonly primaryMs: number | null
  readonly outage: Outage
  readonly sums: Sums
  readonly questions: number
  readonly replays: number
  readonly settledMs: number
  readonly lostLeases: number
  /** Confirmed charges that the database had lost, as gateways counted them. */
  readonly lostCharges: number
  /** CPU time of all gateways together, in seconds: of the processes that ran at the end of the load. */
  readonly cpuSeconds: number
  readonly seconds: number
  readonly faults: readonly string[]
  readonly exceptions: ReadonlyMap<string, number>
}

export interface ClusterReport {
  readonly events: readonly EventReport[]
  readonly faults: readonly string[]
  readonly seconds: number
}

/** A stop ends open streams; a busy machine shares limits all the same. The rest is as operators have it. */
const LIMITS = { shutdown_grace_ms: 8_000, shared_limits_ms: 10_000 } as const
const SECRETS = {
  SVC_SESSION_SECRET: 'a session secret that all processes share',
  SVC_MEDIA_SECRET: 'a secret of addresses that all processes share',
} as const
const PATIENCE_MS = 10_000
const BEFORE_MS = 6_000
/** Answers have come for so long without a break before an event is over. */
const AFTER_MS = 8_000
const BREAK_MS = 1_500
const LOOK_MS = 250
const RECOVERED_MS_MAX = 120_000
const CLIENTS = 16
const TICKS_PER_SECOND = 100

interface ClusterStage {
  readonly rig: Rig
  readonly cluster: PatroniCluster
  readonly fleet: RoundFleet
  readonly upstream: PaidUpstream
  readonly lost: { count: number }
}

type CpuTimes = ReadonlyMap<number, number>

/** CPU time of each gateway that runs, in seconds, by its process id. */
async function readCpuTimes(fleet: RoundFleet): Promise<CpuTimes> {
  const times = new Map<number, number>()
  for (const member of fleet.members) {
    const pid = member.pid() ?? 0
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    times.set(pid, (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND)
  }
  return times
}

/** What those that run at the end took since; one that was started meanwhile, all of it. */
function cpuSecondsBetween(before: CpuTimes, after: CpuTimes): number {
  return [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0)
}

/** Goes on until answers have come for a while. Where they never do, what is compared says so. */
async function recovered({ stories }: ClusterLoad): Promise<void> {
  let brokenAt = performance.now()
  await until(async () => {
    await wait(LOOK_MS)
    const now = performance.now()
    if (now - lastTakenAt(stories) > BREAK_MS) brokenAt = now
    return now - brokenAt > AFTER_MS
  }, RECOVERED_MS_MAX)
}

async function playEvent(
  stage: ClusterStage,
  event: ClusterEvent,
  number: number,
  options: ClusterOptions,
): Promise<EventReport> {
  const { rig, cluster, fleet, upstream } = stage
  const startedAt = performance.now()
  const seed = (Math.imul(options.seed + 1, 2_246_822_519) ^ Math.imul(number + 1, 3_266_489_917)) >>> 0
  const people = await makePeople(rig, number)
  const { rate, streams } = options
  const load = startClusterLoad({ seed, keys: people.keys, ports: fleet.ports, rate, streams })
  const lines: PaidLine[] = []
  upstream.open({ planOf: load.planOf, lines })
  stage.lost.count = 0
  const cpuBefore = await readCpuTimes(fleet)
  await wait(BEFORE_MS)
  const eventAt = performance.now()
  const played = await playClusterEvent(event, { cluster, fleet })
  await recovered(load)
  const endedAt = performance.now()
  const cpuSeconds = cpuSecondsBetween(cpuBefore, await readCpuTimes(fleet))
  await load.stop()
  await cluster.whole()
  const { stories, planOf } = load
  const loaded = { people, stories, lines, planOf, losesProcess: played.losesProcess }
  const finished = await finishRound({ rig, fleet, clients: CLIENTS }, loaded, createRandom(seed))
  const { books, faults, exceptions, replays, settledMs, lostLeases } = finished
  return {
    ...{ event, what: played.what, primaryMs: played.primaryMs, faults, exceptions, replays, settledMs, lostLeases },
    ...{ outage: measureOutage({ stories, lines, ports: fleet.ports, eventAt, endedAt }), questions: stories.length },
    ...{ sums: sumBooks({ stories, books, planOf }), cpuSeconds, lostCharges: stage.lost.count },
    seconds: (performance.now() - startedAt) / 1_000,
  }
}

/** Plays them in order. */
export async function runCluster(options: ClusterOptions): Promise<ClusterReport> {
  const startedAt = performance.now()
  const cluster = await startPatroniCluster(createRandom(options.seed), options.setup)
  const upstream = await startPaidUpstream()
  const forget: (() => void)[] = []
  const lines: string[] = []
  const closing: (() => Promise<unknown>)[] = [() => cluster.close(), () => upstream.close()]
  try {
    const made = await makePostgresDatabase(cluster.url)
    // The database itself goes with its servers.
    const storage = { place: made.place, remove: () => rm(made.place.dataDir, { recursive: true, force: true }) }
    const rig = await openRig({
      ...{ storage, upstreamUrl: upstream.url, limits: LIMITS, patienceMs: PATIENCE_MS, env: SECRETS },
      more: {
        upstreams: [{ name: 'maker', kind: 'openai-compatible', url: upstream.url }],
        routes: paidRoutes('stub', 'maker'),
      },
    })
    closing.unshift(() => rig.close())
    forget.push(onInterrupt(() => rig.close()))
    const direct = made.place.url ?? ''
    const pooled = new URL(direct)
    pooled.port = new URL(cluster.pooledUrl).port
    const lost = { count: 0 }
    const onLine = (line: string): void => {
      if (options.logs !== null) lines.push(line)
      const found = /"count":(\d+).*the database has lost charges/.exec(line)?.[1]
      if (found !== undefined) lost.count += Number(found)
    }
    const fleet = await startRoundFleet(rig, 3, { urls: [direct, direct, pooled.href], onLine })
    closing.unshift(() => fleet.close())
    forget.push(onInterrupt(() => fleet.close()))
    const stage: ClusterStage = { rig, cluster, fleet, upstream, lost }
    const events: EventReport[] = []
    for (const [number, event] of options.events.entries()) {
      const report = await playEvent(stage, event, number, options)
      events.push(report)
      options.onEvent?.(report)
    }
    const codes = await fleet.stop()
    const audit = await rig.audit()
    const faults = [
      ...codes.filter((code) => code !== 0).map((code) => `a gateway stopped with exit code ${code}`),
      ...fleet.takeFaults(),
      ...(audit.code === 0 ? [] : [audit.output]),
    ]
    return { events, faults, seconds: (performance.now() - startedAt) / 1_000 }
  } finally {
    if (options.logs !== null) {
      await mkdir(options.logs, { recursive: true })
      await keepLogs(cluster.lab, options.logs)
      await writeFile(join(options.logs, 'gateways.log'), `${lines.join('\n')}\n`)
    }
    for (const close of closing) await close().catch(() => undefined)
    for (const each of forget) each()
  }
}
