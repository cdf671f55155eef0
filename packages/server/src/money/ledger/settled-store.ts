import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

/** Ids that are asked for in one statement. */
const IDS_AT_ONCE = 500

export interface SettledStore {
  /** Which of these requests have no usage record. */
  listMissing(requestIds: readonly string[]): Promise<readonly string[]>
  /** Names the server that answers now, and this life of it: another text after a restart and after a fail-over. */
  readIdentity(): Promise<string>
}

/** Makes the store that knows what a PostgreSQL server still has. Nothing is written here. */
export function createSettledStore({ read }: Pick<Database, 'read'>): SettledStore {
  return {
    async listMissing(requestIds) {
      const missing: string[] = []
      for (let start = 0; start < requestIds.length; start += IDS_AT_ONCE) {
        const ids = requestIds.slice(start, start + IDS_AT_ONCE)
        const rows = await read.selectFrom('usage_record').select('usage_id').where('usage_id', 'in', ids).execute()
        const found = new Set(rows.map(({ usage_id: id }) => id))
        missing.push(...ids.filter((id) => !found.has(id)))
      }
      return missing
    },
    async readIdentity() {
      // Two servers that started in the same microsecond have two addresses.
      const { rows } = await sql<{ readonly identity: string }>`
        select pg_postmaster_start_time()::text || ' ' || coalesce(inet_server_addr()::text, '') as identity
      `.execute(read)
      return rows[0]?.identity ?? ''
    },
  }
}
