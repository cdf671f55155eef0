import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Pool } from 'pg'
import { describe, expect, test } from 'vitest'
import { databaseUrl, runAsAdmin } from '../../testing/template-database.ts'
import { findPostgres, openTestDatabase, CHECKPOINT_WORKER } from '../../testing/test-database.ts'
import { ChangedMigrationError, listMigrations, migratePostgres, migrateSqlite } from './migrate.ts'

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

describe('migrations', () => {
  test('have the same names on both engines', () => {
    const names = (engine: 'sqlite' | 'postgres') => listMigrations(engine).map((migration) => migration.name)
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

  test.skipIf(findPostgres() === null)('refuse a file that was changed after it was applied', async () => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const opened = await openTestDatabase(engine)
      const edited = listMigrations(engine).map((migration, at) =>
        at === 1 ? { ...migration, checksum: 'other' } : migration,
      )
      const pool = new Pool({ connectionString: opened.url ?? '' })
      const migrating =
        engine === 'sqlite'
          ? migrateSqlite(join(opened.dataDir, 'svc.db'), 0, edited)
          : migratePostgres(pool, 0, edited)
      await expect(migrating).rejects.toBeInstanceOf(ChangedMigrationError)
      await pool.end()
      await opened.close()
    }
  })

  test('leave nothing behind when one of them fails', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-migrate-'))
    const path = join(dataDir, 'svc.db')
    const broken = {
      name: '0002-broken.sql',
      sql: 'create table half (a integer); select * from nothing',
      checksum: 'b',
    }
    await expect(migrateSqlite(path, 0, [broken])).rejects.toThrow(/nothing/)
    const mended = { ...broken, sql: 'create table half (a integer)' }
    await migrateSqlite(path, 0, [mended])
    await rm(dataDir, { recursive: true })
  })
})
