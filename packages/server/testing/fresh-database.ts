/** A database of its own for a test, a proof or a measurement, on either engine. */
import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseEngine } from '../src/platform/db/database.ts'
import { databaseUrl, runAsAdmin } from './template-database.ts'

/** The composition root of the thread that makes SQLite's checkpoints, for programs that open databases themselves. */
export const CHECKPOINT_WORKER = new URL('../src/app/sqlite-checkpoint.worker.ts', import.meta.url)

/** Where a database is, whichever process opens it. */
export interface DatabasePlace {
  readonly engine: DatabaseEngine
  /** Address of a PostgreSQL database; null for SQLite. */
  readonly url: string | null
  /** Folder of a SQLite database; for PostgreSQL an empty folder. */
  readonly dataDir: string
}

export interface FreshDatabase {
  readonly place: DatabasePlace
  /** Removes it, once every connection is closed. */
  readonly remove: () => Promise<void>
}

/** Makes a SQLite database in a folder of its own: a copy of a file, or none yet where there is no file to copy. */
export async function makeSqliteDatabase(template: string | null): Promise<FreshDatabase> {
  const { dataDir, removeFolder } = await makeFolder()
  if (template !== null) await copyFile(template, join(dataDir, 'svc.db'))
  return { place: { engine: 'sqlite', url: null, dataDir }, remove: removeFolder }
}

/**
 * Makes a database on a PostgreSQL server.
 *
 * @param adminUrl with the right to create databases.
 * @param options.template the database that it is a copy of; an empty one by default.
 * @param options.isForced removes it whatever is connected. Without, the server waits for connections that are about
 * to end, where force would make them fail.
 */
export async function makePostgresDatabase(
  adminUrl: string,
  { template = 'template0', isForced = false }: { readonly template?: string; readonly isForced?: boolean } = {},
): Promise<FreshDatabase> {
  const { dataDir, removeFolder } = await makeFolder()
  const name = `svc_fresh_${randomUUID().replaceAll('-', '')}`
  // Copied as files: the usual way writes each page into the write-ahead log, and takes two to three times as long.
  await runAsAdmin(adminUrl, [`create database ${name} template ${template} encoding 'UTF8' strategy file_copy`])
  return {
    place: { engine: 'postgres', url: databaseUrl(adminUrl, name), dataDir },
    async remove() {
      await runAsAdmin(adminUrl, [`drop database if exists ${name}${isForced ? ' with (force)' : ''}`])
      await removeFolder()
    },
  }
}

async function makeFolder(): Promise<{ readonly dataDir: string; readonly removeFolder: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-data-'))
  return { dataDir, removeFolder: () => rm(dataDir, { recursive: true, force: true }) }
}
