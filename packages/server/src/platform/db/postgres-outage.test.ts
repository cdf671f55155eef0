/** What a broken way to PostgreSQL does to those who ask: a failure that they can repeat, in time, and nothing else. */
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgresSession, type PostgresSession } from '../../../testing/postgres-session.ts'
import { startTcpProxy, type TcpProxy } from '../../../testing/tcp-proxy.ts'
import { findPostgres, makeTestDatabase } from '../../../testing/test-database.ts'
import type { PostgresLimits } from './postgres-limits.ts'
import { PostgresPool } from './postgres-pool.ts'
import { repeatReads } from './postgres-reads.ts'
import { runInTransaction } from './postgres-transaction.ts'
import type { Schema } from './schema.ts'

/** Short, so that the tests do not wait; long enough for a machine that is busy. */
const LIMITS: PostgresLimits = {
  checkoutMs: 1_500,
  statementMs: 1_000,
  lockMs: 900,
  idleInTransactionMs: 30_000,
  answerMs: 1_500,
}
const POOL_MAX = 2

const unavailable = (trouble: string) => expect.objectContaining({ code: 'server_is_overloaded', trouble })
const statements = (...texts: readonly string[]) => texts.map((text) => CompiledQuery.raw(text))

describe.skipIf(findPostgres() === null)('PostgreSQL behind a broken network', () => {
  let made: Awaited<ReturnType<typeof makeTestDatabase>>
  let url: string
  let proxy: TcpProxy
  let pool: PostgresPool
  beforeAll(async () => {
    made = await makeTestDatabase('postgres')
    url = made.place.url ?? ''
    const session = await openPostgresSession(url)
    await session.query('create table thing (id integer primary key, times integer not null)')
    await session.query('insert into thing values (1, 0), (2, 0)')
    await session.close()
  })
  beforeEach(async () => {
    proxy = await startTcpProxy(url)
    pool = new PostgresPool({ url: proxy.through(url), limits: LIMITS, max: POOL_MAX, takesSettings: true })
    return async () => {
      await pool.end()
      await proxy.close()
    }
  })
  afterAll(() => made.remove())

  const one = async (): Promise<unknown> => (await pool.query('select 1 as one')).rows
  /** Has every connection of the pool made and idle. */
  const fill = async (): Promise<void> => {
    const clients = await Promise.all(Array.from({ length: POOL_MAX }, () => pool.connect()))
    for (const client of clients) client.release()
  }
  /** Keeps a row locked from another session until the function that it returns is called. */
  const lock = async (): Promise<() => Promise<void>> => {
    const session = await openPostgresSession(url)
    await session.query('begin')
    await session.query('select from thing where id = 1 for update')
    return () => session.close()
  }
  const update = (id: number) => `update thing set times = times + 1 where id = ${id}`

  test('a connection that is cut while it is leased and idle fails the next statement on it alone', async () => {
    const client = await pool.connect()
    const ended = new Promise((resolve) => client.once('end', resolve))
    proxy.cut()
    await ended
    await expect(client.query('select 1')).rejects.toEqual(unavailable('away'))
    client.release()
    expect(await one()).toEqual([{ one: 1 }])
  })

  test('a connection that is cut under a statement fails that statement', async () => {
    const asked = Promise.allSettled([pool.query('select pg_sleep(0.8)')])
    await expect.poll(() => proxy.open).toBe(1)
    proxy.cut()
    expect(await asked).toEqual([{ status: 'rejected', reason: unavailable('away') }])
    expect(await one()).toEqual([{ one: 1 }])
  })

  test('a transaction whose connection was cut while it was idle in the pool is run on another one', async () => {
    await fill()
    proxy.cut()
    expect(await runInTransaction(pool, statements(update(2)))).toEqual([1])
  })

  test('a read whose connection breaks is asked once more, and one in a transaction is not', async () => {
    const read = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: repeatReads(pool) }) })
    // The connection is made before: one that breaks while it is being made is another case.
    await one()
    const asked = sql`select pg_sleep(0.5), 1 as one`.execute(read)
    proxy.cut()
    expect((await asked).rows).toEqual([{ pg_sleep: '', one: 1 }])
    const inTransaction = Promise.allSettled([
      read.transaction().execute(async (db) => {
        await sql`select 1`.execute(db)
        proxy.cut()
        return sql`select pg_sleep(0.5)`.execute(db)
      }),
    ])
    expect(await inTransaction).toEqual([{ status: 'rejected', reason: unavailable('away') }])
  })

  test('what gets no answer fails in time, and the connection is not used again', async () => {
    await fill()
    proxy.stall()
    const asked = await Promise.allSettled([one(), runInTransaction(pool, statements(update(2))), one(), one()])
    expect(asked).toEqual(asked.map(() => ({ status: 'rejected', reason: unavailable('slow') })))
    await proxy.heal()
    expect(await one()).toEqual([{ one: 1 }])
  })

  test('connections to a machine that is gone are replaced as soon as one of them gave no answer', async () => {
    await fill()
    proxy.strand()
    await expect(one()).rejects.toEqual(unavailable('slow'))
    expect(await Promise.all([one(), one()])).toEqual([[{ one: 1 }], [{ one: 1 }]])
  })

  test('nothing that listens is reported at once', async () => {
    await proxy.refuse()
    await expect(one()).rejects.toEqual(unavailable('away'))
    await proxy.heal()
    expect(await one()).toEqual([{ one: 1 }])
  })

  test('a row that another session keeps locked fails what needs it in time, and keeps the connection', async () => {
    const unlock = await lock()
    await expect(runInTransaction(pool, statements(update(1)))).rejects.toEqual(unavailable('slow'))
    await expect(pool.query(update(1))).rejects.toEqual(unavailable('slow'))
    expect(proxy.open).toBe(1)
    await unlock()
    expect(await runInTransaction(pool, statements(update(1)))).toEqual([1])
  })

  test('a pool whose connections are all in use refuses in time', async () => {
    const clients = await Promise.all(Array.from({ length: POOL_MAX }, () => pool.connect()))
    await expect(one()).rejects.toEqual(unavailable('slow'))
    for (const client of clients) client.release()
    expect(await one()).toEqual([{ one: 1 }])
  })

  test('transactions that take each other’s locks are run again until both are done', async () => {
    const [session, gate] = [await openPostgresSession(url), await openPostgresSession(url)]
    await gate.query('select pg_advisory_lock(7)')
    await session.query(`set deadlock_timeout = '10s'`)
    await session.query('begin')
    await session.query(update(2))
    const quick = `set local deadlock_timeout = '20ms'`
    const asked = runInTransaction(pool, statements(quick, update(1), 'select pg_advisory_xact_lock(7)', update(2)))
    await expect.poll(() => countWaiting(gate)).toBe(1)
    const other = session.query(update(1)).then(() => session.query('commit'))
    await expect.poll(() => countWaiting(gate)).toBe(2)
    await gate.close()
    await other
    expect(await asked).toEqual([0, 1, 1, 1])
    await session.close()
  })

  test('a server that takes no writes any more is left, and a standby counts as no database', async () => {
    await pool.query('set default_transaction_read_only = on')
    await expect(pool.query(update(2))).rejects.toEqual(unavailable('away'))
    expect((await pool.query(update(2))).rowCount).toBe(1)

    const session = await openPostgresSession(url)
    const name = new URL(url).pathname.slice(1)
    await session.query(`alter database ${name} set default_transaction_read_only = on`)
    proxy.cut()
    await expect(one()).rejects.toEqual(unavailable('away'))
    await session.query(`alter database ${name} reset default_transaction_read_only`)
    expect(await one()).toEqual([{ one: 1 }])
    await session.close()
  })

  test('a statement that the database refuses keeps its own error and its connection', async () => {
    await expect(pool.query('insert into thing values (1, 0)')).rejects.toMatchObject({ code: '23505' })
    await expect(pool.query('select no_such_column')).rejects.toMatchObject({ code: '42703' })
    expect(proxy.open).toBe(1)
  })
})

/** How many sessions of this database wait for a lock. */
async function countWaiting(session: PostgresSession): Promise<number> {
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return (await session.query(waiting)).length
}
