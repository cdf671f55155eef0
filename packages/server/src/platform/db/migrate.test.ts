import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { databaseUrl, runAsAdmin } from '../../../testing/template-database.ts'
import { CHECKPOINT_WORKER } from '../../../testing/fresh-database.ts'
import { findPostgres, openTestDatabase } from '../../../testing/test-database.ts'
import { knownSchema, listMigrations, migratePostgres, migrateSqlite } from './migrate.ts'
import { PostgresPool } from './postgres-pool.ts'
import { ChangedMigrationError, type Migration, UnknownSchemaError } from './serve-schema.ts'

const run = promisify(execFile)

const PROCESSES = 5

/** Opens the database in five processes at once; each prints how many migrations it finds applied. */
async function openInProcesses(options: { readonly url: string | null; readonly dataDir: string }): Promise<string[]> {
  const script = `import(${JSON.stringify(new URL('./open-database.ts', import.meta.url).href)})
    .then(({ openDatabase }) => {
      const checkpointWorker = new URL(${JSON.stringify(CHECKPOINT_WORKER.href)})
      return openDatabase({ ...${JSON.stringify(options)}, checkpointWorker })
    })
    .then(async (database) => {
      const rows = await database.read.selectFrom('schema_migration').selectAll().execute()
      console.log(rows.length)
      await database.close()
    })`
  const started = Array.from({ length: PROCESSES }, () => run(process.execPath, ['-e', script]))
  return (await Promise.all(started)).map(({ stdout }) => stdout.trim())
}

/** Migrates a store that was migrated before, with another list of files. */
async function migrateAgain(
  opened: { readonly url: string | null; readonly dataDir: string },
  migrations: readonly Migration[],
): Promise<void> {
  if (opened.url === null) return migrateSqlite(join(opened.dataDir, 'svc.db'), 0, migrations)
  const pool = new PostgresPool({ url: opened.url, takesSettings: true })
  try {
    await migratePostgres(pool, 0, migrations)
  } finally {
    await pool.end()
  }
}

describe('migrations', () => {
  test('have the same names on both engines', () => {
    const names = (engine: 'sqlite' | 'postgres') =>
      listMigrations(engine)
        .filter((migration) => !migration.isRepeatable)
        .map((migration) => migration.name)
    expect(names('postgres')).toEqual(names('sqlite'))
    expect(names('sqlite').length).toBeGreaterThan(0)
  })

  test('run once on SQLite when five processes start at once', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-migrate-'))
    const count = String(listMigrations('sqlite').length)
    expect(await openInProcesses({ url: null, dataDir })).toEqual(Array.from({ length: PROCESSES }, () => count))
    await rm(dataDir, { recursive: true })
  })

  test.skipIf(findPostgres() === null)('run once on PostgreSQL when five processes start at once', async () => {
    const adminUrl = findPostgres() ?? ''
    await runAsAdmin(adminUrl, ['drop database if exists svc_test_migrate', 'create database svc_test_migrate'])
    const count = String(listMigrations('postgres').length)
    const url = databaseUrl(adminUrl, 'svc_test_migrate')
    expect(await openInProcesses({ url, dataDir: '' })).toEqual(Array.from({ length: PROCESSES }, () => count))
    await runAsAdmin(adminUrl, ['drop database svc_test_migrate'])
  })

  describe.skipIf(findPostgres() === null)('of a store that is there', () => {
    const cases: readonly {
      readonly promise: string
      readonly change: (migrations: readonly Migration[]) => readonly Migration[]
      readonly error: new (...args: never[]) => Error
    }[] = [
      {
        promise: 'refuse a file that was changed after it was applied',
        change: (all) => all.map((each, at) => (at === 1 ? { ...each, checksum: 'other' } : each)),
        error: ChangedMigrationError,
      },
      {
        promise: 'refuse a store that another version has migrated',
        change: (all) => all.filter((_, at) => at !== 1),
        error: UnknownSchemaError,
      },
    ]
    for (const engine of ['sqlite', 'postgres'] as const) {
      for (const { promise, change, error } of cases) {
        test(`${promise}, on ${engine}`, async () => {
          const opened = await openTestDatabase(engine)
          await expect(migrateAgain(opened, change(listMigrations(engine)))).rejects.toBeInstanceOf(error)
          await opened.close()
        })
      }
    }

    test('spare gateways that run and could not serve what the schema would become', async () => {
      const opened = await openTestDatabase('postgres')
      const pool = new PostgresPool({ url: opened.url ?? '', takesSettings: true })
      const lease = (id: string, until: number, knows: number | null) =>
        pool.query('insert into process_lease values ($1, $1, 0, $2, $3)', [id, until, knows])
      await lease('gone', 0, null)
      await lease('ours', 60_000, knownSchema('postgres'))
      const widen = { sql: 'create table wider (a bigint)', checksum: 'w', oldest: knownSchema('postgres') }
      const narrow = { sql: 'create table narrower (a bigint)', checksum: 'n', oldest: 98 }
      const next: readonly Migration[] = [
        ...listMigrations('postgres'),
        { ...widen, name: '0098-wider.sql', isRepeatable: false },
      ]
      await migrateAgain(opened, next)
      const last = [...next, { ...narrow, name: '0099-narrower.sql', isRepeatable: false }]
      await expect(migrateAgain(opened, last)).rejects.toThrow(
        'Migration 0099-narrower.sql was not applied: a gateway of an older version runs on this database',
      )
      await pool.query(`update process_lease set lease_until = 0 where process_id = 'ours'`)
      await lease('newer', 60_000, 98)
      await migrateAgain(opened, last)
      // The version before has an older list: it serves what was widened, and not what was narrowed.
      await expect(migrateAgain(opened, listMigrations('postgres'))).rejects.toThrow(UnknownSchemaError)
      await pool.query(`delete from schema_migration where name = '0099-narrower.sql'`)
      await migrateAgain(opened, listMigrations('postgres'))
      await pool.end()
      await opened.close()
    })

    test('apply a function again when its file has changed', async () => {
      const opened = await openTestDatabase('postgres')
      const changed = listMigrations('postgres').map((each) =>
        each.name === 'functions/ledger-apply.sql'
          ? { ...each, sql: `${each.sql}\ncomment on function ledger_apply is 'second';`, checksum: 'second' }
          : each,
      )
      await migrateAgain(opened, changed)
      await migrateAgain(opened, changed)
      const pool = new PostgresPool({ url: opened.url ?? '', takesSettings: true })
      const { rows } = await pool.query(`select obj_description('ledger_apply'::regproc) as comment`)
      expect(rows).toEqual([{ comment: 'second' }])
      await pool.end()
      await opened.close()
    })
  })

  test('leave nothing behind when one of them fails', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-migrate-'))
    const path = join(dataDir, 'svc.db')
    const broken = {
      name: '0002-broken.sql',
      sql: 'create table half (a integer); select * from nothing',
      checksum: 'b',
      oldest: null,
      isRepeatable: false,
    }
    await expect(migrateSqlite(path, 0, [broken])).rejects.toThrow(/nothing/)
    const mended = { ...broken, sql: 'create table half (a integer)' }
    await migrateSqlite(path, 0, [mended])
    await rm(dataDir, { recursive: true })
  })
})
