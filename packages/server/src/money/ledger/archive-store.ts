/** Takes records of requests out of the database. Source: decision 0163 (records are archived, transfers stay). */
import { sql, type CompiledQuery, type Kysely } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { HoldExtensionTable, HoldTable } from '../../platform/db/hold-schema.ts'
import type { Schema } from '../../platform/db/schema.ts'
import type { ArchivedRequest, ArchivePortion, ArchiveStore } from './archived-request.ts'
import { listArchiveFiles, pieces } from './read-archive.ts'

/** Makes the store. */
export function createArchiveStore(database: Database): ArchiveStore {
  const { read } = database
  const files = () => read.selectFrom('archive_file').selectAll()
  return {
    listFiles: () => listArchiveFiles(read),
    findLast: async () => (await files().orderBy('file_id', 'desc').limit(1).executeTakeFirst()) ?? null,
    findFile: async (id) => {
      const query = files().where('last_id', '>=', id).where('first_id', '<=', id).orderBy('last_id').limit(1)
      return (await query.executeTakeFirst()) ?? null
    },
    readPortion: (portion) => readPortion(read, portion),
    async take(file, sums, ids) {
      const note = read.insertInto('archive_file').values(file).compile()
      const carried = [
        ...pieces(sums.usage).map((rows) =>
          read
            .insertInto('archived_usage')
            .values(rows.map((row) => ({ ...row, file_id: file.file_id })))
            .compile(),
        ),
        ...pieces(sums.budgets).map((rows) =>
          read
            .insertInto('archived_budget')
            .values(rows.map((row) => ({ ...row, file_id: file.file_id })))
            .compile(),
        ),
      ]
      await database.write([note, ...carried, ...pieces(ids).flatMap((some) => removals(read, some))])
    },
  }
}

/**
 * Looks at `limit` records at a time, whether they may leave or not: with the limit on those that may leave, PostgreSQL
 * reads and sorts all that there are before the date, for each portion again.
 */
async function readPortion(
  read: Kysely<Schema>,
  { afterId, endedBefore, belowId, limit }: ArchivePortion,
): Promise<readonly ArchivedRequest[]> {
  for (let from = afterId; ;) {
    const last = await read
      .selectFrom('usage_record')
      .select('usage_id')
      .where('usage_id', '>', from)
      .where('usage_id', '<', belowId)
      .orderBy('usage_id')
      .offset(limit - 1)
      .limit(1)
      .executeTakeFirst()
    const requests = await readRange(read, { afterId: from, endedBefore, belowId, upToId: last?.usage_id ?? belowId })
    if (requests.length > 0 || last === undefined) return requests
    from = last.usage_id
  }
}

interface ArchiveRange extends Omit<ArchivePortion, 'limit'> {
  /** No request behind this one. */
  readonly upToId: string
}

/**
 * A request stays whose outcome is not final (its hold is open or merely expired) or was once replaced, and one for a
 * video: its job refers to the hold for good.
 */
async function readRange(
  read: Kysely<Schema>,
  { afterId, endedBefore, belowId, upToId }: ArchiveRange,
): Promise<readonly ArchivedRequest[]> {
  const records = await read
    .selectFrom('usage_record as u')
    .innerJoin('hold as h', 'h.hold_id', 'u.usage_id')
    .selectAll('u')
    .where('u.usage_id', '>', afterId)
    .where('u.usage_id', '<=', upToId)
    .where('u.usage_id', '<', belowId)
    // The same range again, so that no plan reads other holds.
    .where('h.hold_id', '>', afterId)
    .where('h.hold_id', '<=', upToId)
    .where('u.created_at', '<', endedBefore)
    .where('h.placed_at', '<', endedBefore)
    .where('h.type', '<>', 'video')
    .where('h.ended_at', '<', endedBefore)
    .where((where) => where.or([where('h.state', '=', 'captured'), where('h.state', '=', 'released')]))
    .where(sql<boolean>`not exists (select 1 from replaced_record r where r.usage_id = u.usage_id)`)
    .orderBy('u.usage_id')
    .execute()
  const holds = new Map<string, HoldTable>()
  const extensions = new Map<string, HoldExtensionTable[]>()
  for (const ids of pieces(records.map((record) => record.usage_id))) {
    const found = await read.selectFrom('hold').selectAll().where('hold_id', 'in', ids).execute()
    for (const hold of found) holds.set(hold.hold_id, hold)
    const grown = read.selectFrom('hold_extension').selectAll().where('hold_id', 'in', ids).orderBy('amount')
    for (const row of await grown.execute()) {
      extensions.set(row.hold_id, [...(extensions.get(row.hold_id) ?? []), row])
    }
  }
  return records.flatMap((record) => {
    const hold = holds.get(record.usage_id)
    return hold === undefined ? [] : [{ record, hold, extensions: extensions.get(record.usage_id) ?? [] }]
  })
}

function removals(read: Kysely<Schema>, ids: readonly string[]): readonly CompiledQuery[] {
  return [
    read.deleteFrom('hold_extension').where('hold_id', 'in', ids).compile(),
    read.deleteFrom('usage_record').where('usage_id', 'in', ids).compile(),
    read.deleteFrom('hold').where('hold_id', 'in', ids).compile(),
  ]
}
