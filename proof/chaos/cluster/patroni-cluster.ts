/**
 * Three nodes with etcd and Patroni, HAProxy before them and PgBouncer before that: the files of
 * `deploy/postgres-cluster`, each program a process on a machine of its own.
 */
import { copyFile, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import type { Random } from '../../../packages/server/testing/random.ts'
import { openPostgresSession } from '../../../packages/server/testing/postgres-session.ts'
import { runAsAdmin } from '../../../packages/server/testing/template-database.ts'
import { until } from '../../rig/until.ts'
import { findClusterPrograms } from './cluster-programs.ts'
import { writeTemplate } from './fill-template.ts'
import { type Lab, type Machine, openLab } from './lab.ts'

/** How the cluster is set up. */
export type ClusterSetup =
  /** As the files say. */
  | 'recommended'
  /** As Patroni's and HAProxy's own examples are: commits wait for no standby, sessions stay with whom they reached. */
  | 'plain'

/** What Patroni says of a node. */
export interface NodeState {
  readonly role: string
  readonly isSync: boolean
  readonly isRunning: boolean
  readonly timeline: number
}

export interface PatroniCluster {
  readonly lab: Lab
  readonly nodes: readonly Machine[]
  /** Has HAProxy and PgBouncer. */
  readonly door: Machine
  /** Addresses of the `postgres` database for an owner of databases: by HAProxy, and by PgBouncer before it. */
  readonly url: string
  readonly pooledUrl: string
  /** The address of a node's own server. */
  urlOf(node: Machine): string
  /** The node that Patroni says is the primary. @throws when there is none. */
  primary(): Promise<Machine>
  stateOf(node: Machine): Promise<NodeState | null>
  /** Hands the primary's role over, as an operator does it. */
  switchOver(from: Machine): Promise<void>
  /** Starts what belongs to a node, on the disk that it has. */
  startNode(node: Machine): Promise<void>
  startEtcd(node: Machine): Promise<void>
  startProxy(): Promise<void>
  startPooler(): Promise<void>
  /** Waits until there is one primary with two standbys, one of which is waited for. @throws when that takes too long. */
  whole(): Promise<void>
  close(): Promise<void>
}

const PORT = 5432
const POOLER_PORT = 6432
const API_PORT = 8008
const ASK_MS = 2_000
/** Patroni answers a command once it is carried out. */
const COMMAND_MS = 30_000
/** More connections in a row than there are nodes. */
const LEADS_TIMES = 8
const WHOLE_MS_MAX = 120_000
const NODE_DISK_BYTES = 640 * 1_048_576
const DOOR_DISK_BYTES = 8 * 1_048_576
const PASSWORDS = {
  ...{ SUPERUSER_PASSWORD: 'superuser-of-a-run', REPLICATION_PASSWORD: 'replication-of-a-run' },
  ...{ REWIND_PASSWORD: 'rewind-of-a-run', DATABASE_USER: 'svc', DATABASE_PASSWORD: 'svc-of-a-run' },
} as const

/** What HAProxy and Patroni do by default. */
const PLAIN: Readonly<Record<string, readonly (readonly [from: RegExp, to: string])[]>> = {
  patroni: [
    [/synchronous_mode: true/, 'synchronous_mode: false'],
    [/synchronous_mode_strict: true/, 'synchronous_mode_strict: false'],
    [/failsafe_mode: true/, 'failsafe_mode: false'],
    [/primary_start_timeout: 10/, 'primary_start_timeout: 300'],
    [/ttl: 20/, 'ttl: 30'],
    [/loop_wait: 2/, 'loop_wait: 10'],
    [/retry_timeout: 5/, 'retry_timeout: 10'],
    [
      / {8}(?:wal_sender_timeout|wal_receiver_timeout|wal_retrieve_retry_interval|tcp_\w+|client_connection_check_interval): .*\n/g,
      '',
    ],
  ],
  haproxy: [
    [/ on-marked-down shutdown-sessions/, ''],
    [/inter 1s fastinter 500ms downinter 500ms fall 2 rise 1/, 'inter 3s fall 3 rise 2'],
  ],
  pgbouncer: [
    [/server_login_retry = 1\n/, ''],
    [/server_check_delay = 0\n/, ''],
    [/tcp_\w+ = .*\n/g, ''],
    [/query_timeout = 10\n/, ''],
  ],
}

function changeFor(setup: ClusterSetup, file: string): (text: string) => string {
  if (setup === 'recommended') return (text) => text
  return (text) => (PLAIN[file] ?? []).reduce((changed, [from, to]) => changed.replace(from, to), text)
}

async function ask(node: Machine, path: string, method: 'GET' | 'POST' = 'GET', body?: object): Promise<unknown> {
  const withinMs = method === 'GET' ? ASK_MS : COMMAND_MS
  const answer = await request(`http://${node.address}:${API_PORT}${path}`, {
    ...{ method, headersTimeout: withinMs, bodyTimeout: withinMs, signal: AbortSignal.timeout(withinMs) },
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 400 && method === 'POST') throw new Error(`Patroni answered ${answer.statusCode}: ${text}`)
  return method === 'GET' ? JSON.parse(text) : text
}

async function stateOf(node: Machine): Promise<NodeState | null> {
  try {
    const said = (await ask(node, '/patroni')) as Record<string, unknown>
    return {
      role: String(said['role']),
      isSync: said['sync_standby'] === true,
      isRunning: said['state'] === 'running',
      timeline: Number(said['timeline'] ?? 0),
    }
  } catch {
    return null
  }
}

const isPrimary = (state: NodeState | null): boolean =>
  state !== null && state.isRunning && (state.role === 'master' || state.role === 'primary')

/** Starts one, and waits until it is whole. @throws when it does not come up, with the ends of its logs. */
export async function startPatroniCluster(random: Random, setup: ClusterSetup): Promise<PatroniCluster> {
  const programs = findClusterPrograms()
  const names = ['node1', 'node2', 'node3'] as const
  const lab = await openLab({
    random,
    machines: [
      ...names.map((name) => ({ name, diskBytes: NODE_DISK_BYTES })),
      { name: 'door', diskBytes: DOOR_DISK_BYTES },
    ],
  })
  const door = lab.machines.at(-1) as Machine
  const nodes = lab.machines.slice(0, -1)
  const pathOf = (machine: Machine, file: string): string => join(lab.folder, 'run', `${machine.name}-${file}`)
  const isVersion3 = programs.isSafeWithEtcd3 || setup === 'plain'
  const shared = {
    ...PASSWORDS,
    ...Object.fromEntries(nodes.map(({ name, address }) => [`${name.toUpperCase()}_ADDRESS`, address])),
    ...{ NETWORK: lab.network, LISTEN_ADDRESS: door.address, HAPROXY_ADDRESS: door.address },
    ...{ CONFIG_FOLDER: join(lab.folder, 'run'), POSTGRESQL_BIN: programs.postgres, WATCHDOG_MODE: 'off' },
    ETCD_PROTOCOL: isVersion3 ? 'etcd3' : 'etcd',
    ETCD_V2: String(!isVersion3),
    ...{ MAX_WAL_SIZE: '128MB', MAX_SLOT_WAL_KEEP_SIZE: '160MB' },
  }
  const valuesOf = (node: Machine) => ({
    ...shared,
    ...{ NODE_NAME: node.name, NODE_ADDRESS: node.address, DATA_FOLDER: join(lab.folder, node.name) },
  })
  const start = (machine: Machine, name: string, ...words: string[]): Promise<void> => machine.start({ name, words })
  const url = `postgres://svc:${PASSWORDS.DATABASE_PASSWORD}@${door.address}:${PORT}/postgres`
  const cluster: PatroniCluster = {
    ...{ lab, nodes, door, url },
    pooledUrl: url.replace(`:${PORT}/`, `:${POOLER_PORT}/`),
    urlOf: (node) => url.replace(door.address, node.address),
    async primary() {
      for (const node of nodes) if (isPrimary(await stateOf(node))) return node
      throw new Error('no node is the primary')
    },
    stateOf,
    switchOver: async (from) => void (await ask(from, '/switchover', 'POST', { leader: from.name })),
    startEtcd: (node) => start(node, 'etcd', programs.etcd, '--config-file', pathOf(node, 'etcd.yml')),
    async startNode(node) {
      await cluster.startEtcd(node)
      await start(node, 'patroni', programs.patroni, pathOf(node, 'patroni.yml'))
    },
    startProxy: () => start(door, 'haproxy', programs.haproxy, '-db', '-f', pathOf(door, 'haproxy.cfg')),
    startPooler: () => start(door, 'pgbouncer', programs.pgbouncer, pathOf(door, 'pgbouncer.ini')),
    async whole() {
      const isWhole = async (): Promise<boolean> => {
        const states = await Promise.all(nodes.map(stateOf))
        const running = states.filter((state) => state?.isRunning === true)
        const syncs = states.filter((state) => state?.isSync === true)
        const timelines = new Set(running.map((state) => state?.timeline))
        return (
          running.length === nodes.length &&
          running.filter(isPrimary).length === 1 &&
          timelines.size === 1 &&
          (setup === 'plain' || syncs.length === 1)
        )
      }
      if (await until(isWhole, WHOLE_MS_MAX)) return
      const states = JSON.stringify(await Promise.all(nodes.map(stateOf)))
      throw new Error(`the cluster is not whole: ${states}\n${await ends(lab)}`)
    },
    close: () => lab.close(),
  }
  try {
    for (const node of nodes) {
      await writeTemplate(pathOf(node, 'etcd.yml'), 'etcd.yml', valuesOf(node))
      await writeTemplate(pathOf(node, 'patroni.yml'), 'patroni.yml', valuesOf(node), changeFor(setup, 'patroni'))
    }
    await writeTemplate(pathOf(door, 'haproxy.cfg'), 'haproxy.cfg', shared, changeFor(setup, 'haproxy'))
    await writeTemplate(pathOf(door, 'pgbouncer.ini'), 'pgbouncer.ini', shared, changeFor(setup, 'pgbouncer'))
    await writeTemplate(join(lab.folder, 'run', 'userlist.txt'), 'userlist.txt', shared)
    await Promise.all(nodes.map((node) => cluster.startNode(node)))
    await cluster.whole()
    const primary = await cluster.primary()
    const admin = `postgres://postgres:${PASSWORDS.SUPERUSER_PASSWORD}@${primary.address}:${PORT}/postgres`
    await runAsAdmin(admin, [`create role svc login createdb password '${PASSWORDS.DATABASE_PASSWORD}'`])
    // A proxy that has just started has not asked yet which node is the primary, and a pooler keeps what it reaches.
    await cluster.startProxy()
    await leads(url)
    await cluster.startPooler()
    await leads(cluster.pooledUrl)
    return cluster
  } catch (error) {
    await cluster.close()
    throw new Error('the cluster did not start', { cause: error })
  }
}

/** Waits until an address leads to a server that takes writes. @throws when that takes too long. */
async function leads(address: string): Promise<void> {
  const takesWrites = async (): Promise<boolean> => {
    const session = await openPostgresSession(address).catch(() => null)
    if (session === null) return false
    const rows = await session.query('select pg_is_in_recovery() as is_standby').catch(() => [])
    await session.close().catch(() => undefined)
    return rows[0]?.['is_standby'] === false
  }
  // A proxy that asks for the first time leads to each node in turn.
  let times = 0
  const leadsAlways = async (): Promise<boolean> => {
    times = (await takesWrites()) ? times + 1 : 0
    return times > LEADS_TIMES
  }
  if (!(await until(leadsAlways, WHOLE_MS_MAX))) throw new Error(`${address} leads to no primary`)
}

/** The last lines of every log. */
async function ends(lab: Lab): Promise<string> {
  const folder = join(lab.folder, 'run')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log'))
  const texts = names.map(async (name) => `${name}:\n${(await readFile(join(folder, name), 'utf8')).slice(-900)}`)
  return (await Promise.all(texts)).join('\n')
}

/** Copies every log to a folder, before the cluster goes. */
export async function keepLogs(lab: Lab, folder: string): Promise<void> {
  const from = join(lab.folder, 'run')
  for (const name of await readdir(from)) await copyFile(join(from, name), join(folder, name))
}
