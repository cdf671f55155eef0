/** Databases for proofs: made for one run, gone with it. */
import type { DatabaseEngine } from '../../packages/server/src/platform/db/database.ts'
import {
  type FreshDatabase,
  makePostgresDatabase,
  makeSqliteDatabase,
} from '../../packages/server/testing/fresh-database.ts'
import { startPostgresServer } from '../../packages/server/testing/postgres-server.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** Exit code of a program that was interrupted. */
const INTERRUPTED = 130

export interface StorageOptions {
  readonly engine: DatabaseEngine
  /** Address of a PostgreSQL server with the right to create databases; null starts one for this run. */
  readonly postgresUrl: string | null
}

async function make({ engine, postgresUrl }: StorageOptions): Promise<FreshDatabase> {
  if (engine === 'sqlite') return makeSqliteDatabase(null)
  const server = postgresUrl === null ? await startPostgresServer() : null
  const made = await makePostgresDatabase(server?.url ?? postgresUrl ?? '', { isForced: true })
  return {
    place: made.place,
    async remove() {
      await made.remove()
      await server?.stop()
    },
  }
}

/** Makes an empty database. A proof that is interrupted leaves no server and no folder behind. */
export async function makeStorage(options: StorageOptions): Promise<FreshDatabase> {
  const { place, remove } = await make(options)
  const interrupt = (): void => {
    // Whatever still runs fails now, and is not asked for any more.
    process.on('uncaughtException', () => undefined)
    void remove().finally(() => process.exit(INTERRUPTED))
  }
  for (const signal of SIGNALS) process.once(signal, interrupt)
  return {
    place,
    async remove() {
      for (const signal of SIGNALS) process.off(signal, interrupt)
      await remove()
    },
  }
}
