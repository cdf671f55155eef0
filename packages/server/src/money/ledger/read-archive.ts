/** What the database knows of archived requests. */
import type { Kysely } from 'kysely'
import type { ArchiveFileTable } from '../../platform/db/archive-schema.ts'
import type { Schema, TransferTable } from '../../platform/db/schema.ts'
import type { CarriedSums } from './archived-request.ts'

/** Rows and ids in one statement: SQLite takes 32,766 values. */
const AT_ONCE = 1_000

/** The files that there are, oldest requests first. */
export function listArchiveFiles(db: Kysely<Schema>): Promise<readonly ArchiveFileTable[]> {
  return db.selectFrom('archive_file').selectAll().orderBy('file_id').execute()
}

/** The files whose requests may have ids in a range: `from` is in, `below` is out. Oldest requests first. */
export function listFilesWithin(
  db: Kysely<Schema>,
  { from, below }: { readonly from: string; readonly below: string },
): Promise<readonly ArchiveFileTable[]> {
  const files = db.selectFrom('archive_file').selectAll().where('last_id', '>=', from).where('first_id', '<', below)
  return files.orderBy('file_id').execute()
}

/** What is carried on of a file. */
export async function readCarried(db: Kysely<Schema>, fileId: number): Promise<CarriedSums> {
  const [usage, budgets] = await Promise.all([
    db
      .selectFrom('archived_usage')
      .select(['key_id', 'day', 'type', 'model', 'account_id', 'requests', 'free_requests', 'charge', 'write_off'])
      .select(['cost', 'prompt_tokens', 'completion_tokens'])
      .where('file_id', '=', fileId)
      .execute(),
    db
      .selectFrom('archived_budget')
      .select(['budget_id', 'window_start', 'charge'])
      .where('file_id', '=', fileId)
      .execute(),
  ])
  return { usage, budgets }
}

/** The transfers that settled requests, by id; free requests have none. */
export async function readSettlements(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TransferTable>> {
  const found = new Map<string, TransferTable>()
  for (const some of pieces(ids)) {
    const rows = await db.selectFrom('transfer').selectAll().where('transfer_id', 'in', some).execute()
    for (const row of rows) found.set(row.transfer_id, row)
  }
  return found
}

/** Requests up to this one may be archived; '' for none. */
export async function readArchivedUntil(db: Kysely<Schema>): Promise<string> {
  const row = await db
    .selectFrom('archive_file')
    .select(({ fn }) => fn.max<string | null>('last_id').as('until'))
    .executeTakeFirst()
  return row?.until ?? ''
}

/** What is added where a request is not found; '' for one that is too young to be archived. */
export async function archivedHint(db: Kysely<Schema>, requestId: string): Promise<string> {
  if (!/^[0-9a-f-]{36}$/.test(requestId) || requestId > (await readArchivedUntil(db))) return ''
  return ' Requests as old as this one are archived: what it was charged is in the statement of its month.'
}

/** By account, how many archived requests have no transfer. */
export async function readArchivedFree(db: Kysely<Schema>): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('archived_usage')
    .select(['account_id', ({ fn }) => fn.sum<number>('free_requests').as('requests')])
    .groupBy('account_id')
    .execute()
  return new Map(rows.map((row) => [row.account_id, Number(row.requests)]))
}

/** Values in parts that fit into one statement. */
export function pieces<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  const count = Math.ceil(values.length / AT_ONCE)
  return Array.from({ length: count }, (_, at) => values.slice(at * AT_ONCE, (at + 1) * AT_ONCE))
}
