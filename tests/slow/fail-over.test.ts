/**
 * A cluster that loses what it has confirmed, under load: the processes find charges that clients were told, log and
 * count them, and charge them late, once. Source: decision 0072 (charges that a fail-over lost).
 */
import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/server/testing/eventually.ts'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import {
  type GatewayProcesses,
  openGatewayProcesses,
  type TestProcess,
} from '../../packages/server/testing/gateway-process.ts'
import { type PostgresCluster, startPostgresCluster } from '../../packages/server/testing/postgres-cluster.ts'
import { openPostgresSession } from '../../packages/server/testing/postgres-session.ts'
import { findPostgres } from '../../packages/server/testing/test-database.ts'
import {
  type FailOverLoad,
  type InvoiceUpstream,
  judgeFailOver,
  REPEATED,
  startFailOverLoad,
  startInvoiceUpstream,
  type Told,
  UNWRITTEN,
  WRITTEN_OFF,
} from '../fail-over-load.ts'

const CLIENTS = 6
const JOURNAL_MS = 500
const LEASE_MS = 5_000
/** What is settled is written down at the next journal: who is killed loses that, on a machine that is busy. */
const WRITTEN_WITHIN_MS = 2 * JOURNAL_MS + 1_000
const LOST = 'the database has lost charges that it had confirmed'
const OTHERWISE = 'the charge in the books differs from the charge that the client was shown'

interface Member extends TestProcess {
  readonly adminPort: number
}

describe.skipIf(findPostgres() === null)('a cluster that loses what it has confirmed', () => {
  let cluster: PostgresCluster
  let upstream: InvoiceUpstream
  let fleet: GatewayProcesses
  let members: readonly Member[]
  let load: FailOverLoad
  beforeEach(async () => {
    cluster = await startPostgresCluster()
    upstream = await startInvoiceUpstream()
    fleet = await openGatewayProcesses({
      ...{ engine: 'postgres', upstreamUrl: upstream.url, credits: '100000000' },
      database: await cluster.makeDatabase(),
      file: { limits: { journal_ms: JOURNAL_MS, lease_ms: LEASE_MS } },
    })
    members = [await startMember('first'), await startMember('second')]
    await cluster.caughtUp()
    load = startFailOverLoad(members, CLIENTS)
    await toldMore(40)
  })
  afterEach(async () => {
    await fleet.stop()
    await upstream.close()
    await cluster.close()
  })

  /** Each on a machine of its own: a folder that no other reads. */
  const startMember = async (machine: string): Promise<Member> => {
    const adminPort = await findFreePort()
    const env = { SVC_ADMIN_PORT: String(adminPort), SVC_DATA_DIR: `${fleet.dataDir}/${machine}` }
    return Object.assign(await fleet.start(env), { adminPort })
  }
  const toldMore = async (count: number): Promise<void> => {
    const before = load.told.length
    await eventually(() => expect(load.told.length).toBeGreaterThan(before + count))
  }
  const metricOf = async ({ adminPort }: Member, name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1])
  }
  const sumOf = async (name: string): Promise<number> =>
    (await Promise.all(members.map((member) => metricOf(member, name)))).reduce((sum, each) => sum + each, 0)
  const logged = (message: string): readonly string[] =>
    members.flatMap((member) => member.output().split('\n')).filter((line) => line.includes(message))
  /** Open holds of the process that ran on a machine. */
  const heldBy = async (machine: string): Promise<number> => {
    const files = await readdir(`${fleet.dataDir}/${machine}/settlements`)
    const ids = files.filter((name) => name.endsWith('.recent')).map((name) => name.split('.')[0] ?? '')
    const { read } = fleet.database
    const rows = read.selectFrom('hold').select('hold_id').where('state', '=', 'held').where('process_id', 'in', ids)
    return (await rows.execute()).length
  }

  /** Ends the load, waits until all is settled and found, and compares. @returns the named exceptions. */
  async function compare(isUnwritten: (told: Told) => boolean = () => false) {
    await load.stop()
    await fleet.settled()
    await eventually(async () => expect(await sumOf('svc_settlements_pending')).toBe(0))
    const { told } = load
    const { database } = fleet
    const exceptions = await eventually(async () => {
      const verdict = await judgeFailOver({ told, lines: upstream.lines, database, isUnwritten })
      expect(verdict.faults).toEqual([])
      return verdict.exceptions
    })
    await fleet.audit()
    return exceptions
  }

  test('is found by each process: what clients saw is charged, and a repetition is charged once', async () => {
    cluster.stopShipping()
    const from = load.told.length
    await toldMore(60)
    const confirmed = load.told.slice(from)
    await cluster.failOver()
    // Clients who repeat what the cluster has forgotten, while its charge is being found.
    const named = confirmed.filter(({ name }) => name !== null).slice(-5)
    await Promise.all(named.map((told) => load.repeat(told, members[0] as Member).catch(() => 0)))
    await toldMore(20)
    const exceptions = await compare()
    const lines = logged(LOST).join('\n')
    const lost = confirmed.filter(({ requestId }) => lines.includes(requestId))
    expect(lost.length).toBeGreaterThan(30)
    expect(await sumOf('svc_settlements_lost_total')).toBeGreaterThanOrEqual(lost.length)
    expect(Object.keys(exceptions).filter((name) => name !== REPEATED && name !== WRITTEN_OFF)).toEqual([])
    expect(exceptions[REPEATED] ?? 0).toBe(logged(OTHERWISE).length)
    // Once more, after all: each name was charged once, and reads so.
    const { posted } = await fleet.balance()
    for (const told of named) expect([200, 409]).toContain(await load.repeat(told, members[1] as Member))
    expect(await fleet.balance()).toEqual({ posted, held: 0n })
  })

  test('with two primaries for a while is found once the first is gone', async () => {
    cluster.stopShipping()
    await toldMore(30)
    await cluster.split()
    await toldMore(60)
    await cluster.endFirst()
    await toldMore(30)
    const exceptions = await compare()
    expect(await sumOf('svc_settlements_lost_total')).toBeGreaterThan(30)
    expect(Object.keys(exceptions).filter((name) => name !== WRITTEN_OFF)).toEqual([])
  })

  test('with two primaries is left whole by each process whose new connections reach the second', async () => {
    cluster.stopShipping()
    await toldMore(30)
    await cluster.split()
    // More at once than there are connections: new ones are made.
    const burst = members.flatMap((member) => Array.from({ length: 40 }, () => member.fetch('/v1/usage')))
    for (const answer of await Promise.all(burst)) await answer.text()
    await eventually(async () => {
      for (const member of members) expect(await metricOf(member, 'svc_settlements_lost_total')).toBeGreaterThan(0)
    })
    const leftAt = performance.now()
    await toldMore(60)
    const second = await openPostgresSession(fleet.databaseUrl ?? '')
    const rows = await second.query('select usage_id from usage_record')
    await second.close()
    const there = new Set(rows.map((row) => row['usage_id']))
    // What was asked before may have been settled on the first while its process was leaving that.
    const asked = load.told.filter(({ askedAt }) => askedAt > leftAt)
    expect(asked.length).toBeGreaterThan(60 - 2 * CLIENTS)
    expect(asked.filter(({ requestId }) => !there.has(requestId))).toEqual([])
    await cluster.endFirst()
    const exceptions = await compare()
    expect(Object.keys(exceptions).filter((name) => name !== WRITTEN_OFF)).toEqual([])
  })

  test('and a process with it: what that had written down is charged once it is back, though its holds were swept', async () => {
    cluster.stopShipping()
    await toldMore(60)
    const [first, second] = members as readonly [Member, Member]
    const killedAt = performance.now()
    first.signal('SIGKILL')
    await first.exited
    await cluster.failOver()
    await toldMore(30)
    // The other process takes over what is left of its holds.
    await eventually(async () => expect(await heldBy('first')).toBe(0))
    members = [await startMember('first'), second]
    await eventually(() => expect(members[0]?.output()).toContain(LOST))
    const exceptions = await compare(({ by, at }) => by === first && at > killedAt - WRITTEN_WITHIN_MS)
    expect(exceptions[UNWRITTEN] ?? 0).toBeLessThan(30)
  })
})
