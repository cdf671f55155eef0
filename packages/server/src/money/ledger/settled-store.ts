import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { SERVER_IDENTITY } from '../../platform/db/server-identity.ts'
import type { BookedCharge } from './booked-charge.ts'
import { SWEPT_CODE } from './orphans.ts'

/** Ids that are asked for in one statement. */
const IDS_AT_ONCE = 500

export interface SettledStore {
  /** What is booked of requests; those are missing that have no record, or whose hold merely expired. */
  findBooked(requestIds: readonly string[]): Promise<ReadonlyMap<string, BookedCharge>>
  /** Names the server that answers now, and this life of it: another text after a restart and after a fail-over. */
  readIdentity(): Promise<string>
}

/** Makes the store that knows what a PostgreSQL server still has. Nothing is written here. */
export function createSettledStore({ read }: Pick<Database, 'read'>): SettledStore {
  return {
    async findBooked(requestIds) {
      const booked = new Map<string, BookedCharge>()
      for (let start = 0; start < requestIds.length; start += IDS_AT_ONCE) {
        const rows = await read
          .selectFrom('usage_record as u')
          .innerJoin('hold as h', 'h.hold_id', 'u.usage_id')
          .select(['u.usage_id', 'u.charge', 'u.write_off', 'u.error_code'])
          .where('u.usage_id', 'in', requestIds.slice(start, start + IDS_AT_ONCE))
          .where('h.state', '<>', 'expired')
          .execute()
        for (const { usage_id: id, charge, write_off: writeOff, error_code: code } of rows) {
          booked.set(id, { charge, writeOff, isSwept: code === SWEPT_CODE })
        }
      }
      return booked
    },
    async readIdentity() {
      const { rows } = await sql<{ readonly identity: string }>`
        select ${sql.raw(SERVER_IDENTITY)} as identity
      `.execute(read)
      return rows[0]?.identity ?? ''
    },
  }
}
