import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { CompiledQuery } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgresSession } from '../../../testing/postgres-session.ts'
import { startTcpProxy, type TcpProxy } from '../../../testing/tcp-proxy.ts'
import { databaseUrl } from '../../../testing/template-database.ts'
import { findPostgres, makeTestDatabase } from '../../../testing/test-database.ts'
import type { DatabaseUnavailableError } from '../errors/database-unavailable-error.ts'
import { openPostgresDatabase, type PostgresDatabase } from './postgres-database.ts'

const WAIT_MS = 60_000

describe.skipIf(findPostgres() === null)('a start on PostgreSQL', () => {
  let made: Awaited<ReturnType<typeof makeTestDatabase>>
  let url: string
  let proxy: TcpProxy
  const opened: PostgresDatabase[] = []
  beforeAll(async () => {
    made = await makeTestDatabase('postgres')
    url = made.place.url ?? ''
  })
  beforeEach(async () => {
    proxy = await startTcpProxy(url)
  })
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close()
    await proxy.close()
  })
  afterAll(() => made.remove())

  /** Opens it, and resolves with the reason as soon as the start has said what it waits for. */
  function open(address: string, waitMs = WAIT_MS) {
    const waiting = Promise.withResolvers<DatabaseUnavailableError>()
    const start = openPostgresDatabase(address, { patience: { waitMs, onWaiting: waiting.resolve } })
    const database = start.then((each) => {
      opened.push(each)
      return each
    })
    return { database, waiting: waiting.promise }
  }
  const ask = async (database: PostgresDatabase): Promise<unknown> =>
    (await database.pool.query('select 1 as one')).rows

  test('waits for a database that is away, and goes on as soon as it is there', async () => {
    await proxy.refuse()
    const { database, waiting } = open(proxy.through(url))
    expect((await waiting).cause).toMatchObject({ code: 'ECONNREFUSED' })
    await proxy.heal()
    expect(await ask(await database)).toEqual([{ one: 1 }])
  })

  test('waits where a standby answers', async () => {
    const session = await openPostgresSession(url)
    const name = new URL(url).pathname.slice(1)
    await session.query(`alter database ${name} set default_transaction_read_only = on`)
    const { database, waiting } = open(proxy.through(url))
    expect(await waiting).toMatchObject({ trouble: 'away', cause: { name: 'ReadOnlyServerError' } })
    await session.query(`alter database ${name} reset default_transaction_read_only`)
    expect(await ask(await database)).toEqual([{ one: 1 }])
    await session.close()
  })

  test('fails when its time is over', async () => {
    await proxy.refuse()
    await expect(open(proxy.through(url), 0).database).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })

  test('does not wait for what no waiting mends', async () => {
    const { database, waiting } = open(databaseUrl(url, 'no_such_database'))
    await expect(Promise.race([database, waiting])).rejects.toMatchObject({ cause: { code: '3D000' } })
  })

  test('a pooler that refuses settings of a session is asked without, and transactions set theirs', async () => {
    const pooler = await startPooler(proxy)
    const { database } = open(pooler.through(url))
    const ready = await database
    const { rows } = await ready.pool.query(`select current_setting('statement_timeout') as limit`)
    expect(rows).toEqual([{ limit: '0' }])
    const session = await openPostgresSession(url)
    await session.query('create table seen (statement_limit text)')
    await ready.write([CompiledQuery.raw(`insert into seen values (current_setting('statement_timeout'))`)])
    expect(await session.query('select * from seen')).toEqual([{ statement_limit: '5s' }])
    await session.close()
    for (const each of opened.splice(0)) await each.close()
    await pooler.close()
  })
})

/** Refuses a session that begins with settings, in the words of PgBouncer; others reach the proxy. */
async function startPooler(proxy: TcpProxy) {
  const port = Number(new URL(proxy.through('postgres://localhost')).port)
  const server: Server = createServer((near) => {
    near.on('error', () => undefined)
    near.once('data', (greeting) => {
      if (greeting.includes('statement_timeout')) return void near.end(refusal('statement_timeout'))
      const far = connect(port, '127.0.0.1', () => far.write(greeting))
      far.on('error', () => undefined)
      near.pipe(far).pipe(near)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    through(address: string) {
      const url = new URL(address)
      url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
      return url.href
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** An `ErrorResponse`. Source: PostgreSQL, "Message Formats". */
function refusal(parameter: string): Buffer {
  const fields = `SFATAL\0C08P01\0Munsupported startup parameter: ${parameter}\0\0`
  const message = Buffer.alloc(5 + fields.length)
  message.write('E', 0)
  message.writeInt32BE(4 + fields.length, 1)
  message.write(fields, 5)
  return message
}
