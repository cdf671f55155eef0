import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { StoredResponseTable } from '../../platform/db/work-schema.ts'

export type StoredResponseRow = StoredResponseTable

/** Names one row. */
export type StoredResponseName = Pick<StoredResponseRow, 'team_id' | 'response_id'>

/** What one team may keep. */
export interface StoredRoom {
  readonly rows: number
  /** UTF-16 units of what is sealed. */
  readonly length: number
}

export interface StoredResponseStore {
  /** Writes a row. @throws where its team stores responses no longer: its rows go with the switch. */
  insert(row: StoredResponseRow): Promise<void>
  find(name: StoredResponseName): Promise<StoredResponseRow | null>
  /** @returns false where there is none. */
  remove(name: StoredResponseName): Promise<boolean>
  removeExpired(now: number): Promise<void>
  /** Removes the oldest of every team that has more than it may keep. */
  removeBeyond(room: StoredRoom): Promise<void>
}

/** Makes the store of responses that teams keep. Each function is one statement, or one for each team. */
export function createStoredResponseStore({ read, write }: Pick<Database, 'read' | 'write'>): StoredResponseStore {
  const table = 'stored_response'
  const named = ({ team_id, response_id }: StoredResponseName) =>
    read.deleteFrom(table).where('team_id', '=', team_id).where('response_id', '=', response_id)

  async function removeOldest(teamId: string, room: StoredRoom): Promise<void> {
    const ranked = read
      .selectFrom(table)
      .select(['response_id'])
      .select(sql<number>`row_number() over (order by created_at desc, response_id desc)`.as('place'))
      .select(sql<number>`sum(length) over (order by created_at desc, response_id desc)`.as('taken'))
      .where('team_id', '=', teamId)
    const beyond = read
      .selectFrom(ranked.as('ranked'))
      .select('response_id')
      .where((is) => is.or([is('place', '>', room.rows), is('taken', '>', room.length)]))
    await write([read.deleteFrom(table).where('team_id', '=', teamId).where('response_id', 'in', beyond).compile()])
  }

  return {
    async insert(row) {
      await write([
        read
          .insertInto(table)
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .compile(),
      ])
    },
    async find({ team_id, response_id }) {
      const found = await read
        .selectFrom(table)
        .selectAll()
        .where('team_id', '=', team_id)
        .where('response_id', '=', response_id)
        .executeTakeFirst()
      return found ?? null
    },
    async remove(name) {
      const [changed] = await write([named(name).compile()])
      return changed === 1
    },
    async removeExpired(now) {
      await write([read.deleteFrom(table).where('expires_at', '<=', now).compile()])
    },
    async removeBeyond(room) {
      const full = await read
        .selectFrom(table)
        .select('team_id')
        .groupBy('team_id')
        .having((is) =>
          is.or([is(sql<number>`count(*)`, '>', room.rows), is(sql<number>`sum(length)`, '>', room.length)]),
        )
        .execute()
      for (const { team_id: teamId } of full) await removeOldest(teamId, room)
    },
  }
}
