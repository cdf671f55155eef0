import type { Database } from '../../platform/db/database.ts'
import type { IdempotentRequestTable } from '../../platform/db/work-schema.ts'

export type IdempotentRow = IdempotentRequestTable

/** Names one row: a caller, and the hash of a name of theirs. */
export type IdempotentName = Pick<IdempotentRow, 'caller_id' | 'name_hash'>

export interface IdempotentRequestStore {
  /** @returns false when there is a row of that name already, which stays as it is. */
  insert(row: IdempotentRow): Promise<boolean>
  find(name: IdempotentName): Promise<IdempotentRow | null>
  /** Those that are there of several names. */
  findAll(callerId: string, nameHashes: readonly string[]): Promise<readonly IdempotentRow[]>
  /**
   * Puts a new request in the place of an earlier one.
   * @returns false when the earlier one is another by now: another process did so before, or it was charged after all.
   */
  replace(row: IdempotentRow, earlier: Pick<IdempotentRow, 'request_id' | 'state'>): Promise<boolean>
  /** Notes how a request ended. It may have been replaced meanwhile: then nothing happens. */
  finish(row: Pick<IdempotentRow, 'caller_id' | 'name_hash' | 'request_id' | 'state' | 'answer'>): Promise<void>
  /** Forgets a request that did not end in an answer, unless it was charged after all. */
  remove(row: IdempotentName & Pick<IdempotentRow, 'request_id'>): Promise<void>
  removeExpired(now: number): Promise<void>
}

/** Makes the store of requests with an Idempotency-Key. Each function is one statement. */
export function createIdempotentRequestStore({
  read,
  write,
}: Pick<Database, 'read' | 'write'>): IdempotentRequestStore {
  const table = 'idempotent_request'
  return {
    async insert(row) {
      const insert = read
        .insertInto(table)
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
      const [changed] = await write([insert.compile()])
      return changed === 1
    },
    async find({ caller_id, name_hash }) {
      const found = await read
        .selectFrom(table)
        .selectAll()
        .where('caller_id', '=', caller_id)
        .where('name_hash', '=', name_hash)
        .executeTakeFirst()
      return found ?? null
    },
    findAll(callerId, nameHashes) {
      const found = read.selectFrom(table).selectAll().where('caller_id', '=', callerId)
      return found.where('name_hash', 'in', nameHashes).execute()
    },
    async replace({ caller_id, name_hash, ...rest }, earlier) {
      const update = read
        .updateTable(table)
        .set(rest)
        .where('caller_id', '=', caller_id)
        .where('name_hash', '=', name_hash)
        .where('request_id', '=', earlier.request_id)
        .where('state', '=', earlier.state)
      const [changed] = await write([update.compile()])
      return changed === 1
    },
    async finish({ caller_id, name_hash, request_id, state, answer }) {
      const update = read
        .updateTable(table)
        .set({ state, answer })
        .where('caller_id', '=', caller_id)
        .where('name_hash', '=', name_hash)
        .where('request_id', '=', request_id)
      await write([update.compile()])
    },
    async remove({ caller_id, name_hash, request_id }) {
      const remove = read
        .deleteFrom(table)
        .where('caller_id', '=', caller_id)
        .where('name_hash', '=', name_hash)
        .where('request_id', '=', request_id)
        .where('state', '=', 'running')
      await write([remove.compile()])
    },
    async removeExpired(now) {
      await write([read.deleteFrom(table).where('expires_at', '<=', now).compile()])
    },
  }
}
