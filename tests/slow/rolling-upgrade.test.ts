/**
 * A rolling upgrade: gateways of two versions on one PostgreSQL database under paid load, through a migration that adds
 * and, when no older gateway runs any more, one that removes. Source: decision 0162 (a migration says whom it leaves).
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/server/testing/eventually.ts'
import {
  type GatewayProcesses,
  openGatewayProcesses,
  type TestProcess,
} from '../../packages/server/testing/gateway-process.ts'
import { findPostgres } from '../../packages/server/testing/test-database.ts'
import { listMigrations } from '../../packages/server/src/platform/db/migrate.ts'
import { newestOf } from '../../packages/server/src/platform/db/serve-schema.ts'
import { type FailOverLoad, type InvoiceUpstream, judgeFailOver, REPEATED } from '../fail-over-load.ts'
import { startFailOverLoad, startInvoiceUpstream } from '../fail-over-load.ts'
import { makeNextVersion, type NextVersion, type SchemaChange } from '../next-version.ts'

const CLIENTS = 6

const present = newestOf(listMigrations('postgres'))
const numbered = (above: number): string => String(present + above).padStart(4, '0')

/** Adds to tables that every request writes, and lets a function write what it added. */
const expanding: SchemaChange = {
  migrations: {
    [`${numbered(1)}-served-by.sql`]: `-- Which upstream has served, once more.
-- Oldest code that can serve this schema: ${numbered(0)}
alter table usage_record add column served_by text;
alter table transfer add column note text;
alter table hold add column region text not null default 'none';
alter table account add column plan text not null default 'prepaid';
create table plan_price (plan text not null primary key, amount bigint not null);
`,
  },
  functions: {
    'ledger-record.sql': (sql) =>
      sql
        .replace(
          'estimated, pricing, generation_id, latency_ms)\n    select',
          'estimated, pricing, generation_id, latency_ms, served_by)\n    select',
        )
        .replace(
          'o.generation_id, o.latency_ms\n      from unnest',
          'o.generation_id, o.latency_ms, o.upstream\n      from unnest',
        ),
  },
}

/** Removes what no code since the last version reads. */
const contracting: SchemaChange = {
  migrations: {
    [`${numbered(2)}-no-note.sql`]: `-- Nothing was ever written here.
-- Oldest code that can serve this schema: ${numbered(1)}
alter table transfer drop column note;
`,
  },
}

describe.skipIf(findPostgres() === null)('a rolling upgrade', () => {
  let upstream: InvoiceUpstream
  let fleet: GatewayProcesses
  let next: NextVersion
  let later: NextVersion
  let serving: TestProcess[]
  let load: FailOverLoad
  beforeEach(async () => {
    upstream = await startInvoiceUpstream()
    next = await makeNextVersion([expanding])
    later = await makeNextVersion([expanding, contracting])
    fleet = await openGatewayProcesses({ engine: 'postgres', upstreamUrl: upstream.url, credits: '100000000' })
    serving = [await start('first'), await start('second')]
    load = startFailOverLoad(serving, CLIENTS)
    await toldMore(20)
  })
  afterEach(async () => {
    await load.stop()
    await fleet.stop()
    await upstream.close()
    await next.remove()
    await later.remove()
  })

  const start = (machine: string, version?: NextVersion): Promise<TestProcess> =>
    fleet.start({ SVC_DATA_DIR: `${fleet.dataDir}/${machine}` }, version?.main)
  const toldMore = async (count: number): Promise<void> => {
    const before = load.told.length
    await eventually(() => expect(load.told.length).toBeGreaterThan(before + count))
  }
  /** Takes a gateway out of the load, then stops it, as a rolling restart does. */
  const retire = async (gateway: TestProcess): Promise<void> => {
    serving.splice(serving.indexOf(gateway), 1)
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(0)
  }
  /** Charges that were written since the function writes which upstream served, and those where it is not said. */
  const servedBy = async (): Promise<readonly (string | null)[]> => {
    const rows: readonly object[] = await fleet.database.read
      .selectFrom('usage_record')
      .selectAll()
      .orderBy('usage_id')
      .execute()
    return rows.map((row) => (row as { readonly served_by: string | null }).served_by)
  }

  test('loses no request and no nano-credit, and no gateway is put before a schema that it cannot serve', async () => {
    const [first, second] = serving as [TestProcess, TestProcess]
    // Expand: the next version's schema under gateways of this one, which go on and call its functions.
    const expanded = await fleet.adminOf(next.sources, 'migrate')
    expect(expanded).toMatchObject({ code: 0, output: expect.stringContaining('Applied 2 migrations') })
    await toldMore(20)
    expect((await servedBy()).at(-1)).toBe('default')

    // Both versions beside each other; one of this version that starts anew leaves the newer functions alone.
    const third = await start('third', next)
    serving.push(third)
    await retire(first)
    const again = await start('first')
    serving.push(again)
    await toldMore(40)
    expect((await servedBy()).at(-1)).toBe('default')

    // Contract: refused as long as a gateway runs that could not serve it.
    const early = await fleet.adminOf(later.sources, 'migrate')
    expect(early.code).toBe(1)
    expect(early.output).toContain('2 gateways of older versions run on this database and could not work after it')
    await retire(second)
    await retire(again)
    await toldMore(20)
    expect(await fleet.adminOf(later.sources, 'migrate')).toMatchObject({ code: 0 })
    serving.push(await start('fourth', later))
    await toldMore(20)
    await expect(start('first')).rejects.toThrow(/has a schema that this version of SVC cannot serve/)

    await load.stop()
    await fleet.settled()
    const verdict = await judgeFailOver({ told: load.told, lines: upstream.lines, database: fleet.database })
    expect(verdict.faults).toEqual([])
    // Nothing was killed, so nothing was asked twice and nothing was written off.
    expect(verdict.exceptions[REPEATED] ?? 0).toBe(0)
    expect(upstream.lines.length).toBe(load.told.length)
    await fleet.audit()
  })
})
