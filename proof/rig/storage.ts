/** Databases for proofs: made for one run, gone with it. */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseEngine } from '../../packages/server/src/platform/db/database.ts'
import { openDatabase, type OpenDatabase } from '../../packages/server/src/platform/db/open-database.ts'
import { startPostgresServer } from '../../packages/server/testing/postgres-server.ts'
import { databaseUrl, runAsAdmin } from '../../packages/server/testing/template-database.ts'

const CHECKPOINT_WORKER = new URL('../../packages/server/src/app/sqlite-checkpoint.worker.ts', import.meta.url)

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** Exit code of a program that was interrupted. */
const INTERRUPTED = 130

export interface Storage {
  readonly engine: DatabaseEngine
  /** Address of the PostgreSQL database; null for SQLite. */
  readonly url: string | null
  /** Data folder of this run's gateways; with SQLite it holds the database. */
  readonly dataDir: string
  /** The folder that its gateways run in. */
  readonly workingDir: string
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
  const folder = await mkdtemp(join(tmpdir(), 'svc-proof-'))
  const [dataDir, workingDir] = [join(folder, 'data'), join(folder, 'work')]
  for (const each of [dataDir, workingDir]) await mkdir(each)
  const place = engine === 'postgres' ? await createPostgresDatabase(postgresUrl) : null
  const url = place?.url ?? null
  const database = await openDatabase({ url, dataDir, checkpointWorker: CHECKPOINT_WORKER })
  const remove = async (): Promise<void> => {
    await place?.remove()
    await rm(folder, { recursive: true, force: true })
  }
  // A proof that is interrupted leaves no server and no folder behind.
  const interrupt = (): void => {
    // Whatever still runs fails now, and nobody asks for it any more.
    process.on('uncaughtException', () => undefined)
    void remove().finally(() => process.exit(INTERRUPTED))
  }
  for (const signal of SIGNALS) process.once(signal, interrupt)
  return {
    ...{ engine, url, dataDir, workingDir, database },
    async close() {
      for (const signal of SIGNALS) process.off(signal, interrupt)
      await database.close()
      await remove()
    },
  }
}
