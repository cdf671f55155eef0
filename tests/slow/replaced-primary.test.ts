/**
 * A primary that was replaced and goes on, as a cluster without a watchdog has it: connections that work are left all the
 * same, and a proxy that leads back to it leads nowhere. Source: decision 0144 (the newest timeline is the database).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PostgresPool } from '../../packages/server/src/platform/db/postgres-pool.ts'
import { type PostgresCluster, startPostgresCluster } from '../../packages/server/testing/postgres-cluster.ts'
import { findPostgres } from '../../packages/server/testing/test-database.ts'

const POOL_MAX = 3
const WHO = `select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline`

describe.skipIf(findPostgres() === null)('a primary that was replaced and goes on', () => {
  let cluster: PostgresCluster
  let pool: PostgresPool
  let url: string
  beforeAll(async () => {
    cluster = await startPostgresCluster()
    const { place } = await cluster.makeDatabase()
    url = place.url ?? ''
    pool = new PostgresPool({ url, max: POOL_MAX, takesSettings: true })
  })
  afterAll(async () => {
    await pool.end()
    await cluster.close()
  })

  /** Asks on every connection of the pool, so that none is left out and each is made that can be. */
  const timelines = async (): Promise<readonly unknown[]> => {
    const clients = await Promise.all(Array.from({ length: POOL_MAX }, () => pool.connect()))
    const answers = await Promise.all(clients.map((client) => client.query<{ timeline: string }>(WHO)))
    for (const client of clients) client.release()
    return answers.map(({ rows }) => Number(rows[0]?.timeline))
  }

  test('is left as soon as it is looked who the address leads to, and is no database while the other is there', async () => {
    expect(await timelines()).toEqual([1, 1, 1])
    await cluster.caughtUp()
    await cluster.split()
    // Connections that work tell nothing.
    expect(await timelines()).toEqual([1, 1, 1])
    await pool.lookAgain()
    expect(await timelines()).toEqual([2, 2, 2])

    cluster.leadBack()
    const refused = { trouble: 'away', cause: { name: 'ReplacedServerError' } }
    await expect(pool.lookAgain()).rejects.toMatchObject(refused)
    expect(await timelines()).toEqual([2, 2, 2])
    const [kept, ...others] = await Promise.all(Array.from({ length: POOL_MAX }, () => pool.connect()))
    for (const other of others) other.release(true)
    await expect(pool.connect()).rejects.toMatchObject(refused)
    kept?.release()
    expect((await pool.query<{ timeline: string }>(WHO)).rows).toEqual([{ timeline: '00000002' }])
  })

  test('is the database again where nothing leads to the other for long', async () => {
    const brief = new PostgresPool({ url, max: 1, takesSettings: true, refusedMs: 0 })
    cluster.leadOn()
    const client = await brief.connect()
    cluster.leadBack()
    // A connection to the other works.
    await expect(brief.lookAgain()).rejects.toMatchObject({ cause: { name: 'ReplacedServerError' } })
    client.release(true)
    await brief.lookAgain()
    expect((await brief.query<{ timeline: string }>(WHO)).rows).toEqual([{ timeline: '00000001' }])
    await brief.end()
  })
})
