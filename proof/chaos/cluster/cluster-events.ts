/** What happens to a cluster and its gateways while they work. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../rig/until.ts'
import type { Member, RoundFleet } from '../rounds/round-fleet.ts'
import type { Machine } from './lab.ts'
import type { PatroniCluster } from './patroni-cluster.ts'

export const clusterEvents = [
  'switch',
  'kill',
  'postgres',
  'patroni',
  'freeze',
  'part',
  'unplug',
  'standby',
  'etcd',
  'disk',
  'pooler',
  'proxy',
  'roll',
  'lost',
] as const
export type ClusterEvent = (typeof clusterEvents)[number]

export interface ClusterScene {
  readonly cluster: PatroniCluster
  readonly fleet: RoundFleet
}

/** What was done, in words, and what may follow from it. */
export interface PlayedEvent {
  readonly what: string
  /** From the event to the next primary, in milliseconds; null where it stays the same. */
  readonly primaryMs: number | null
  /** A gateway was ended without a moment to note anything. */
  readonly losesProcess: boolean
}

const NEXT_MS_MAX = 120_000
/** What was frozen or cut off is so for this long after the next primary is there: both are up. */
const BOTH_MS = 20_000
const OUTAGE_MS = 30_000
const POLL_MS = 100

/** @returns the milliseconds until another node than `before` is the primary; null when that does not happen. */
async function nextPrimary({ cluster }: ClusterScene, before: Machine): Promise<number | null> {
  const startedAt = performance.now()
  const others = cluster.nodes.filter((node) => node !== before)
  const isThere = await until(async () => {
    const states = await Promise.all(others.map((node) => cluster.stateOf(node)))
    if (states.some((state) => state !== null && state.isRunning && state.role !== 'replica')) return true
    await wait(POLL_MS)
    return false
  }, NEXT_MS_MAX)
  return isThere ? performance.now() - startedAt : null
}

async function switchOver(scene: ClusterScene): Promise<PlayedEvent> {
  const primary = await scene.cluster.primary()
  const next = nextPrimary(scene, primary)
  await scene.cluster.switchOver(primary)
  return { what: `the primary's role is handed over by ${primary.name}`, primaryMs: await next, losesProcess: false }
}

async function kill(scene: ClusterScene): Promise<PlayedEvent> {
  const primary = await scene.cluster.primary()
  await primary.die()
  const primaryMs = await nextPrimary(scene, primary)
  await wait(BOTH_MS)
  await primary.boot()
  await scene.cluster.startNode(primary)
  return { what: `${primary.name}, the primary, has no power, and again later`, primaryMs, losesProcess: false }
}

async function killPostgres({ cluster }: ClusterScene): Promise<PlayedEvent> {
  const primary = await cluster.primary()
  const before = (await cluster.stateOf(primary))?.timeline
  await primary.run([
    'sh',
    '-c',
    `kill -9 $(head -1 ${join(cluster.lab.folder, primary.name)}/postgresql/postmaster.pid)`,
  ])
  await wait(OUTAGE_MS)
  const after = await cluster.primary().catch(() => null)
  const isSame = after === primary && (await cluster.stateOf(primary))?.timeline === before
  const what = `kill -9 of PostgreSQL on ${primary.name}, the primary; ${isSame ? 'it came back' : 'another took over'}`
  return { what, primaryMs: null, losesProcess: false }
}

async function freezePatroni(scene: ClusterScene): Promise<PlayedEvent> {
  const primary = await scene.cluster.primary()
  await primary.signal('STOP', 'patroni')
  const primaryMs = await nextPrimary(scene, primary)
  await wait(BOTH_MS)
  await primary.signal('CONT', 'patroni')
  const what = `Patroni frozen on ${primary.name}, the primary, whose PostgreSQL goes on: two primaries for ${BOTH_MS} ms`
  return { what, primaryMs, losesProcess: false }
}

async function freeze(scene: ClusterScene): Promise<PlayedEvent> {
  const primary = await scene.cluster.primary()
  await primary.signal('STOP')
  const primaryMs = await nextPrimary(scene, primary)
  await wait(BOTH_MS)
  await primary.signal('CONT')
  return { what: `${primary.name}, the primary, frozen whole, and awake again later`, primaryMs, losesProcess: false }
}

async function part(scene: ClusterScene): Promise<PlayedEvent> {
  const primary = await scene.cluster.primary()
  const others = scene.cluster.nodes.filter((node) => node !== primary)
  await primary.part(others)
  const primaryMs = await nextPrimary(scene, primary)
  await wait(BOTH_MS)
  await primary.join(others)
  const what = `network cut between ${primary.name}, the primary, and the other nodes; gateways reach all`
  return { what, primaryMs, losesProcess: false }
}

async function unplug(scene: ClusterScene): Promise<PlayedEvent> {
  const primary = await scene.cluster.primary()
  await primary.wire('down')
  const primaryMs = await nextPrimary(scene, primary)
  await wait(BOTH_MS)
  await primary.wire('up')
  return { what: `${primary.name}, the primary, cut off from all`, primaryMs, losesProcess: false }
}

async function unplugStandby({ cluster }: ClusterScene): Promise<PlayedEvent> {
  const states = await Promise.all(cluster.nodes.map((node) => cluster.stateOf(node)))
  const at = states.findIndex((state) => state?.isSync === true)
  const standby = cluster.nodes[at] ?? cluster.nodes[states.findIndex((state) => state?.role === 'replica')]
  if (standby === undefined) throw new Error('there is no standby')
  await standby.wire('down')
  await wait(OUTAGE_MS)
  await standby.wire('up')
  return {
    what: `${standby.name}, the standby that is waited for, cut off from all`,
    primaryMs: null,
    losesProcess: false,
  }
}

async function stopEtcd({ cluster }: ClusterScene): Promise<PlayedEvent> {
  await Promise.all(cluster.nodes.map((node) => node.signal('KILL', 'etcd')))
  await wait(OUTAGE_MS)
  await Promise.all(cluster.nodes.map((node) => cluster.startEtcd(node)))
  return {
    what: `kill -9 of etcd on all nodes, and a start ${OUTAGE_MS} ms later`,
    primaryMs: null,
    losesProcess: false,
  }
}

async function fillDisk({ cluster }: ClusterScene): Promise<PlayedEvent> {
  const primary = await cluster.primary()
  const ballast = join(cluster.lab.folder, primary.name, 'ballast')
  await primary.run(['sh', '-c', `cat /dev/zero > ${ballast} 2>/dev/null || true`])
  await wait(OUTAGE_MS)
  const after = await cluster.primary().catch(() => null)
  await primary.run(['rm', ballast])
  const who = after === primary ? 'it stayed the primary' : `${after?.name ?? 'nobody'} was the primary then`
  return {
    what: `disk of ${primary.name}, the primary, full for ${OUTAGE_MS} ms; ${who}`,
    primaryMs: null,
    losesProcess: false,
  }
}

async function restartPooler({ cluster }: ClusterScene): Promise<PlayedEvent> {
  await cluster.door.signal('KILL', 'pgbouncer')
  await wait(5_000)
  await cluster.startPooler()
  return { what: 'kill -9 of PgBouncer, and a start 5 s later', primaryMs: null, losesProcess: false }
}

async function restartProxy({ cluster }: ClusterScene): Promise<PlayedEvent> {
  await cluster.door.signal('KILL', 'haproxy')
  await wait(10_000)
  await cluster.startProxy()
  return { what: 'kill -9 of HAProxy, and a start 10 s later', primaryMs: null, losesProcess: false }
}

async function roll({ fleet }: ClusterScene): Promise<PlayedEvent> {
  for (const member of fleet.members) {
    await member.stop()
    await member.start()
  }
  return { what: 'gateways stopped and started one after the other', primaryMs: null, losesProcess: false }
}

/** Bytes of settlements that wait on a gateway's volume. */
async function journalBytes({ dataDir }: Member): Promise<number> {
  const folder = join(dataDir, 'settlements')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.journal'))
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function loseGateway({ cluster, fleet }: ClusterScene): Promise<PlayedEvent> {
  const [member] = fleet.members
  if (member === undefined) throw new Error('there is no gateway')
  await cluster.door.signal('KILL', 'haproxy')
  await until(async () => (await journalBytes(member)) > 5_000, 20_000)
  const bytes = await journalBytes(member)
  await member.kill()
  const started = member.start()
  await wait(3_000)
  await cluster.startProxy()
  await started
  const what = `a gateway lost while its database is away, with ${bytes} bytes of settlements; another takes its volume over`
  return { what, primaryMs: null, losesProcess: true }
}

const plays: Readonly<Record<ClusterEvent, (scene: ClusterScene) => Promise<PlayedEvent>>> = {
  switch: switchOver,
  kill,
  postgres: killPostgres,
  patroni: freezePatroni,
  freeze,
  part,
  unplug,
  standby: unplugStandby,
  etcd: stopEtcd,
  disk: fillDisk,
  pooler: restartPooler,
  proxy: restartProxy,
  roll,
  lost: loseGateway,
}

/** Plays one. Afterwards everything runs that ran before. */
export function playClusterEvent(name: ClusterEvent, scene: ClusterScene): Promise<PlayedEvent> {
  return plays[name](scene)
}
