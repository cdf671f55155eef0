import { type FreshDatabase, makePostgresDatabase } from '../packages/server/testing/fresh-database.ts'
import { startPostgresServer } from '../packages/server/testing/postgres-server.ts'
import { openPostgresSession, type PostgresSession } from '../packages/server/testing/postgres-session.ts'

/** A PostgreSQL server for one run of the bench. */
export interface BenchPostgres {
  readonly version: string
  /** Makes an empty database. */
  createDatabase(): Promise<FreshDatabase>
  /** Runs statements in one session of a database. */
  run(url: string, statements: readonly string[]): Promise<unknown>
  close(): Promise<void>
}

/**
 * Takes the given server, or starts one that waits for the disk at every commit.
 *
 * @param url with the right to create databases; null starts a server.
 * @throws when there is no server to be had; the message says what to do.
 */
export async function openBenchPostgres(url: string | null): Promise<BenchPostgres> {
  const server = url === null ? await startServer() : null
  const adminUrl = server?.url ?? url ?? ''
  const made: FreshDatabase[] = []
  const [row] = await runAll(adminUrl, ['show server_version']).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`PostgreSQL does not answer: ${reason}; look at the address in --database`, { cause: error })
  })
  return {
    version: String(row?.['server_version']),
    async createDatabase() {
      const database = await makePostgresDatabase(adminUrl, { isForced: true })
      made.push(database)
      return database
    },
    run: (databaseUrl, statements) => runAll(databaseUrl, statements),
    async close() {
      for (const database of made) await database.remove()
      await server?.stop()
    },
  }
}

async function startServer(): ReturnType<typeof startPostgresServer> {
  try {
    return await startPostgresServer('full')
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    throw new Error(`no PostgreSQL: ${reason}; give the address of a server with --database`, { cause: error })
  }
}

/** Runs statements in one session; resolves with the rows of the last. */
async function runAll(url: string, statements: readonly string[]): ReturnType<PostgresSession['query']> {
  const session = await openPostgresSession(url)
  try {
    let rows: Awaited<ReturnType<PostgresSession['query']>> = []
    for (const statement of statements) rows = await session.query(statement)
    return rows
  } finally {
    await session.close()
  }
}
