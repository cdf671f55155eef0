/** Databases for proofs: made for one run, gone with it. */
import type { DatabaseEngine } from '../../packages/server/src/platform/db/database.ts'
import {
  type FreshDatabase,
  makePostgresDatabase,
  makeSqliteDatabase,
} from '../../packages/server/testing/fresh-database.ts'
import { startPostgresServer } from '../../packages/server/testing/postgres-server.ts'
import { onInterrupt } from './on-interrupt.ts'

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
  const forget = onInterrupt(remove)
  return {
    place,
    async remove() {
      forget()
      await remove()
    },
  }
}
