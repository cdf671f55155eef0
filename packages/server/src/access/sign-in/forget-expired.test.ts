import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeEachEngine, openTestDatabase } from '../../../testing/test-database.ts'
import { forgetExpired } from './forget-expired.ts'

const NOW = Date.UTC(2026, 10, 29, 12)

describeEachEngine('what sign-in has kept for a while', (engine) => {
  test('is removed once its time is over, and not before', async () => {
    const open = await openTestDatabase(engine)
    const { read } = open.database
    const [past, future, made] = [NOW - 1, NOW + 60_000, NOW - 86_400_000].map((at) => new Date(at).toISOString())
    const verified = engine === 'postgres' ? sql`true` : sql`1`
    await open.database.write([
      sql`insert into sign_in_user (id, name, email, email_verified, created_at, updated_at)
          values ('ada', 'Ada', 'ada@example.com', ${verified}, ${made}, ${made})`.compile(read),
      ...[
        ['old', past],
        ['new', future],
      ].flatMap(([id, at]) => [
        sql`insert into sign_in_session (id, user_id, token, expires_at, ip_address, created_at, updated_at)
            values (${id}, 'ada', ${id}, ${at}, '192.0.2.1', ${made}, ${made})`.compile(read),
        sql`insert into sign_in_verification (id, identifier, value, expires_at, created_at, updated_at)
            values (${id}, ${`siwe:${id}`}, ${id}, ${at}, ${made}, ${made})`.compile(read),
      ]),
    ])
    const left = async () =>
      Promise.all(
        ['sign_in_session', 'sign_in_verification'].map(
          async (table) =>
            (await sql<{ id: string }>`select id from ${sql.table(table)} order by id`.execute(read)).rows,
        ),
      )
    // Before a process believes its clock, all of it stays.
    await forgetExpired(open.database, 0)
    expect(await left()).toEqual([
      [{ id: 'new' }, { id: 'old' }],
      [{ id: 'new' }, { id: 'old' }],
    ])
    await forgetExpired(open.database, NOW)
    expect(await left()).toEqual([[{ id: 'new' }], [{ id: 'new' }]])
    await open.close()
  })
})
