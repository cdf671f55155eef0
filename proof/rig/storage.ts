/** Databases for proofs: made for one run, gone with it. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseEngine } from '../../packages/server/src/db/database.ts'
import { openDatabase, type OpenDatabase } from '../../packages/server/src/db/open-database.ts'
import { startPostgresServer } from '../../packages/server/testing/postgres-server.ts'
import { databaseUrl, runAsAdmin } from '../../packages/server/testing/template-database.ts'

const WRITER_WORKER = new URL('../../packages/server/src/sqlite-writer.worker.ts', import.meta.url)

export interface Storage {
  readonly engine: DatabaseEngine
  /** Address of the PostgreSQL database; null for SQLite. */
  readonly url: string | null
  /** A folder of this run; with SQLite it holds the database. */
  readonly dataDir: string
  /** A connection of the proof's own, beside those of the gateways. */
  readonly database: OpenDatabase
  close(): Promise<void>
}

export interface StorageOptions {
  readonly engine: DatabaseEngine
  /** Address of a PostgreSQL server with the right to create databases; null starts one for this run. */
  readonly postgresUrl: string | null
}

interface PostgresPlace {
  readonly url: string
  remove(): Promise<void>
}

async function createPostgresDatabase(serverUrl: string | null): Promise<PostgresPlace> {
  const server = serverUrl === null ? await startPostgresServer() : null
  const adminUrl = server?.url ?? serverUrl ?? ''
  const name = `svc_proof_${randomUUID().replaceAll('-', '')}`
  await runAsAdmin(adminUrl, [`create database ${name} template template0`])
  return {
    url: databaseUrl(adminUrl, name),
    async remove() {
      await runAsAdmin(adminUrl, [`drop database if exists ${name} with (force)`])
      await server?.stop()
    },
  }
}

/** Makes an empty, migrated database. */
export async function openStorage({ engine, postgresUrl }: StorageOptions): Promise<Storage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-proof-'))
  const place = engine === 'postgres' ? await createPostgresDatabase(postgresUrl) : null
  const url = place?.url ?? null
  const database = await openDatabase({ url, dataDir, writerWorker: WRITER_WORKER })
  return {
    ...{ engine, url, dataDir, database },
    async close() {
      await database.close()
      await place?.remove()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
