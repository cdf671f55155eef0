import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { isConstraintViolation, isUniqueViolation } from './database-failure.ts'
import { convertIntegers, isMoneyColumn } from './integer-columns.ts'
import { WAL_FILE_BYTES_MAX } from './sqlite-connection.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

describeEachEngine('the database', (engine) => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await openTestDatabase(engine)
  })
  afterAll(() => opened.close())

  const account = (id: string) =>
    opened.database.read
      .insertInto('account')
      .values({ account_id: id, name: 'Test', status: 'active', created_at: 1_700_000_000_000 })
      .compile()
  const countAccounts = async (ids: readonly string[]) => {
    const { read } = opened.database
    const rows = await read.selectFrom('account').select('account_id').where('account_id', 'in', ids).execute()
    return rows.length
  }

  test('reads money as bigint, exactly, and every other number as number', async () => {
    const posted = 9_007_199_254_740_993n
    const caller = await seedCaller(opened.database, { posted, expiresAt: 1_700_000_000_123 })
    const { read } = opened.database
    const balance = await read.selectFrom('balance').selectAll().where('account_id', '=', caller.accountId).execute()
    expect(balance.map((row) => ({ ...row }))).toEqual([{ account_id: caller.accountId, posted, held: 0n }])
    const key = await read
      .selectFrom('api_key')
      .select(['expires_at', 'revoked_at', 'pepper_version'])
      .where('key_id', '=', caller.keyId)
      .executeTakeFirstOrThrow()
    expect({ ...key }).toEqual({ expires_at: 1_700_000_000_123, revoked_at: null, pepper_version: 1 })
    const sums = await read
      .selectFrom('balance')
      .select((eb) => [eb.fn.sum('posted').as('total_posted'), eb.fn.countAll().as('rows')])
      .where('account_id', '=', caller.accountId)
      .executeTakeFirstOrThrow()
    expect({ ...sums }).toEqual({ total_posted: posted, rows: 1 })
  })

  test('writes a list of statements whole and says how many rows each changed', async () => {
    const suspend = opened.database.read
      .updateTable('account')
      .set({ status: 'suspended' })
      .where('account_id', 'in', ['list-1', 'list-2'])
      .compile()
    expect(await opened.database.write([account('list-1'), account('list-2'), suspend])).toEqual([1, 1, 2])
  })

  test('keeps and finds a text that no engine can hold as it is, and fails no statement for it', async () => {
    const strange = 'a\0b\ud800c'
    expect(await opened.database.write([account(strange)])).toEqual([1])
    const { read } = opened.database
    const found = await read.selectFrom('account').select('account_id').where('account_id', '=', strange).execute()
    expect(found.map((row) => row.account_id)).toEqual(['a\uFFFDb\uFFFDc'])
  })

  test('writes nothing of a list of which one statement fails', async () => {
    const failing = opened.database.write([account('half-1'), account('half-1')])
    await expect(failing).rejects.toSatisfy((error) => isUniqueViolation(error) && isConstraintViolation(error))
    expect(await countAccounts(['half-1'])).toBe(0)
  })

  test('tells a value that is taken from other broken rules', async () => {
    const orphan = opened.database.read
      .insertInto('balance')
      .values({ account_id: 'nobody', posted: 0n, held: 0n })
      .compile()
    const failing = opened.database.write([orphan])
    await expect(failing).rejects.toSatisfy((error) => !isUniqueViolation(error) && isConstraintViolation(error))
    expect(isConstraintViolation(new Error('connection lost'))).toBe(false)
  })

  test('sees at once what was written', async () => {
    await opened.database.write([account('now-1')])
    expect(await countAccounts(['now-1'])).toBe(1)
  })
})

describe('columns of whole numbers', () => {
  test('are money by their names, also behind an alias', () => {
    expect(['charge', 'total_charge', 'limit_nanocredits', 'write_off'].map(isMoneyColumn)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(['discharge', 'created_at', 'charges', 'prompt_tokens'].map(isMoneyColumn)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  test('refuse what a number cannot hold', () => {
    expect(() => convertIntegers({ day: 2n ** 53n })).toThrow(/too large/)
  })
})

describe('the embedded database', () => {
  test('keeps its log bounded, however much is written at once', async () => {
    const opened = await openTestDatabase('sqlite')
    const { database } = opened
    if (database.engine !== 'sqlite') throw new Error('this is SQLite')
    const filler = 'x'.repeat(500_000)
    const insert = (id: number) =>
      database.read
        .insertInto('account')
        .values({ account_id: String(id), name: filler, status: 'active', created_at: id })
        .compile()
    // In one transaction: between two of them the log may begin anew.
    await database.write(Array.from({ length: 140 }, (_, id) => insert(id)))
    expect(statSync(`${database.path}-wal`).size).toBeGreaterThan(WAL_FILE_BYTES_MAX)
    // The first look may be one that had begun before.
    await database.checkpoints.run()
    await database.checkpoints.run()
    await database.write([insert(1_000)])
    // The log has begun anew, in a file that is cut to what it may keep.
    expect(statSync(`${database.path}-wal`).size).toBeLessThanOrEqual(WAL_FILE_BYTES_MAX)
    const beside = new DatabaseSync(database.path)
    expect(beside.prepare('pragma wal_checkpoint(passive)').get()?.['log']).toBeLessThan(1_000)
    beside.close()
    await opened.close()
  })

  test('keeps what was written over a restart', async () => {
    const opened = await openTestDatabase('sqlite')
    const caller = await seedCaller(opened.database, { posted: 5n })
    const again = await opened.openAgain()
    const rows = await again.read
      .selectFrom('balance')
      .select('posted')
      .where('account_id', '=', caller.accountId)
      .execute()
    expect(rows.map((row) => row.posted)).toEqual([5n])
    await opened.close()
    const nowhere = { dataDir: '/dev/null/nowhere', checkpointWorker: new URL('file:///nowhere') }
    await expect(openSqliteDatabase(nowhere)).rejects.toThrow(/ENOTDIR/)
  })
})
