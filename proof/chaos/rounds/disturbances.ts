/** What can happen to gateways while they work: their network, their database, their clocks, and themselves. */
import { setTimeout as wait } from 'node:timers/promises'
import { openPostgresSession } from '../../../packages/server/testing/postgres-session.ts'
import type { Random } from '../../../packages/server/testing/random.ts'
import type { TcpProxy } from '../../../packages/server/testing/tcp-proxy.ts'
import type { Member, RoundFleet } from './round-fleet.ts'

export const disturbances = [
  'cut',
  'delay',
  'stall',
  'strand',
  'refuse',
  'lock',
  'end',
  'freeze',
  'kill',
  'stop',
  'clock',
] as const
export type Disturbance = (typeof disturbances)[number]

/** Those that there are without a network to the database. */
export const DISTURBANCES_OF_SQLITE: readonly Disturbance[] = ['freeze', 'kill', 'stop', 'clock']

export interface Scene {
  readonly random: Random
  readonly fleet: RoundFleet
  /** Address of the PostgreSQL database, past all proxies; null on SQLite. */
  readonly url: string | null
  readonly leaseMs: number
}

/** What was done, in words, and what may follow from it. */
export interface Played {
  readonly what: string
  /** A process was ended or kept from its work for longer than its lease: what was not noted by then can be lost. */
  readonly losesProcess: boolean
}

const SECOND_MS = 1_000
/** Beyond every limit of a wait for the database. */
const LONG_MS = 10 * SECOND_MS

/** Mostly short; now and then longer than anything waits. */
function pickMs(random: Random): number {
  return random.pick([200, 600, 600, 1_500, 1_500, 3_000, 5_000, LONG_MS])
}

/** One of them, or all. */
function pickMembers({ random, fleet }: Scene): readonly Member[] {
  return random.below(2) === 0 ? fleet.members : [random.pick(fleet.members)]
}

function portsOf(members: readonly Member[]): string {
  return members.map(({ port }) => port).join(', ')
}

function proxiesOf(members: readonly Member[]): readonly TcpProxy[] {
  return members.flatMap(({ proxy }) => (proxy === null ? [] : [proxy]))
}

async function healAfter(proxies: readonly TcpProxy[], ms: number): Promise<void> {
  await wait(ms)
  await Promise.all(proxies.map((proxy) => proxy.heal()))
}

async function cut(scene: Scene): Promise<Played> {
  const members = pickMembers(scene)
  const everyMs = 100 + scene.random.below(500)
  const ms = 500 + scene.random.below(2_000)
  const ends = proxiesOf(members).map((proxy) => proxy.cutEvery(everyMs))
  await wait(ms)
  for (const end of ends) end()
  return { what: `cut every ${everyMs} ms for ${ms} ms at ${portsOf(members)}`, losesProcess: false }
}

async function delay(scene: Scene): Promise<Played> {
  const members = pickMembers(scene)
  const proxies = proxiesOf(members)
  const delayMs = scene.random.pick([20, 100, 300])
  for (const proxy of proxies) proxy.delay(delayMs)
  const ms = 500 + scene.random.below(2_000)
  await healAfter(proxies, ms)
  return { what: `delay of ${delayMs} ms for ${ms} ms at ${portsOf(members)}`, losesProcess: false }
}

async function breakWays(
  scene: Scene,
  name: string,
  breakOne: (proxy: TcpProxy) => void | Promise<void>,
): Promise<Played> {
  const members = pickMembers(scene)
  const proxies = proxiesOf(members)
  const ms = pickMs(scene.random)
  for (const proxy of proxies) await breakOne(proxy)
  await healAfter(proxies, ms)
  return { what: `${name} for ${ms} ms at ${portsOf(members)}`, losesProcess: ms > scene.leaseMs / 2 }
}

const LOCKS = [
  'select * from balance for update',
  'select * from budget for update',
  'select * from process_lease for update',
  'select * from idempotent_request for update',
  `select * from hold where state = 'held' for update`,
  'lock table idempotent_request in access exclusive mode',
  'lock table usage_record in access exclusive mode',
] as const

async function lock({ random, url, leaseMs }: Scene): Promise<Played> {
  const statement = random.pick(LOCKS)
  const ms = pickMs(random)
  const session = await openPostgresSession(url ?? '')
  await session.query('begin')
  await session.query(statement)
  await wait(ms)
  await session.query('rollback')
  await session.close()
  return { what: `${statement} for ${ms} ms`, losesProcess: ms > leaseMs / 2 }
}

async function end({ random, url }: Scene): Promise<Played> {
  const session = await openPostgresSession(url ?? '')
  const times = 1 + random.below(3)
  for (let time = 0; time < times; time++) {
    await session.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await wait(random.below(600))
  }
  await session.close()
  return { what: `all sessions ended ${times} times`, losesProcess: false }
}

async function freeze({ random, fleet, leaseMs }: Scene): Promise<Played> {
  const member = random.pick(fleet.members)
  const ms = random.pick([leaseMs / 4, leaseMs * 1.5, leaseMs * 2, leaseMs * 3])
  member.freeze()
  await wait(ms)
  member.thaw()
  return { what: `frozen for ${ms} ms at ${member.port}`, losesProcess: true }
}

async function kill(scene: Scene): Promise<Played> {
  const { random } = scene
  const members = pickMembers(scene)
  await Promise.all(
    members.map(async (member) => {
      await wait(random.below(400))
      await member.kill()
    }),
  )
  const isAway = random.below(3) === 0 && members[0]?.proxy !== null
  const proxies = isAway ? proxiesOf(members) : []
  await Promise.all(proxies.map((proxy) => proxy.refuse()))
  const starting = Promise.all(members.map((member) => member.start()))
  if (isAway) await healAfter(proxies, 2_500)
  await starting
  return { what: `killed ${portsOf(members)}${isAway ? ', and no database at the start' : ''}`, losesProcess: true }
}

async function stop(scene: Scene): Promise<Played> {
  const member = scene.random.pick(scene.fleet.members)
  await member.stop()
  await member.start()
  return { what: `stopped and started ${member.port}`, losesProcess: true }
}

const STEPS_MS = [2_000, 30_000, 3_600_000, 86_400_000, 30 * 86_400_000] as const

async function clock(scene: Scene): Promise<Played> {
  const { random, fleet } = scene
  const members = pickMembers(scene)
  const steps: number[] = []
  const count = 1 + random.below(3)
  for (let step = 0; step < count; step++) {
    const ms = random.pick(STEPS_MS) * random.pick([-1, 1])
    for (const member of members) member.moveClock(ms)
    steps.push(ms / 1_000)
    await wait(200 + random.below(900))
  }
  const isBack = random.below(2) === 0
  if (isBack) for (const member of members) member.moveClock(0)
  const isKilled = fleet.members.length > 1 && random.below(4) === 0
  const [killed] = members
  if (isKilled && killed !== undefined) {
    await killed.kill()
    await killed.start()
  }
  const after = `${isBack ? ', and back' : ''}${isKilled ? `, then ${killed?.port} killed` : ''}`
  return { what: `clocks of ${portsOf(members)} at ${steps.join(', ')} s${after}`, losesProcess: isKilled }
}

const plays: Readonly<Record<Disturbance, (scene: Scene) => Promise<Played>>> = {
  cut,
  delay,
  stall: (scene) => breakWays(scene, 'packets dropped', (proxy) => proxy.stall()),
  strand: (scene) => breakWays(scene, 'connections left without a word', (proxy) => proxy.strand()),
  refuse: (scene) => breakWays(scene, 'connections refused', (proxy) => proxy.refuse()),
  lock,
  end,
  freeze,
  kill,
  stop,
  clock,
}

/** Plays one. Afterwards every way is open and every process runs; clocks may be wrong. */
export function playDisturbance(name: Disturbance, scene: Scene): Promise<Played> {
  return plays[name](scene)
}
