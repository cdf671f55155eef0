import { Client } from 'pg'

/** One connection to a PostgreSQL database, for statements of any kind. */
export interface PostgresSession {
  query(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  close(): Promise<void>
}

/** Connects. @throws when the server cannot be reached. */
export async function openPostgresSession(url: string): Promise<PostgresSession> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return {
    query: async (statement) => (await client.query<Record<string, unknown>>(statement)).rows,
    close: () => client.end(),
  }
}
