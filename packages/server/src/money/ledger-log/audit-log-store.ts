/** What the audit of the log reads, in one snapshot and in pages. */
import { sql, type Kysely } from 'kysely'
import type { Schema } from '../../platform/db/schema.ts'
import { entryOf } from '../ledger/logged-batch.ts'
import { linesOf } from './log-reads-store.ts'

/** Batches, tiles and rows that are read at once. */
const BATCHES = 64
const ROWS = 10_000
/** Rows of entries that wait, each of up to some hundred. */
const WAITING_ROWS = 1_000

/** Every batch in the order of its leaves. */
export async function* readBatches(db: Kysely<Schema>) {
  let after = -1
  for (;;) {
    const rows = await db
      .selectFrom('ledger_log_batch')
      .select(['first_index', 'size', 'entries', 'salts', 'seal'])
      .where('first_index', '>', after)
      .orderBy('first_index')
      .limit(BATCHES)
      .execute()
    yield* rows
    after = rows.at(-1)?.first_index ?? after
    if (rows.length < BATCHES) return
  }
}

/** Every row that must have an entry, by the name of that entry. */
export async function* readBooked(db: Kysely<Schema>): AsyncGenerator<string> {
  for await (const row of pages((after) =>
    db
      .selectFrom('transfer')
      .select('transfer_id as id')
      .where('hold_id', 'is', null)
      .where('transfer_id', '>', after)
      .orderBy('transfer_id')
      .limit(ROWS)
      .execute(),
  )) {
    yield entryOf('transfer', row.id)
  }
  for await (const row of pages((after) =>
    db
      .selectFrom('usage_record')
      .leftJoin('replaced_record', 'replaced_record.usage_id', 'usage_record.usage_id')
      .select(['usage_record.usage_id as id', 'replaced_record.usage_id as replaced'])
      .where('usage_record.usage_id', '>', after)
      .orderBy('usage_record.usage_id')
      .limit(ROWS)
      .execute(),
  )) {
    yield entryOf('request', row.id)
    if (row.replaced !== null) yield entryOf('correction', row.id)
  }
}

async function* pages<Row extends { readonly id: string }>(read: (after: string) => Promise<readonly Row[]>) {
  let after = ''
  for (;;) {
    const rows = await read(after)
    yield* rows
    after = rows.at(-1)?.id ?? after
    if (rows.length < ROWS) return
  }
}

/** Every entry that waits to be put down: they may be millions. */
export async function* readWaiting(db: Kysely<Schema>): AsyncGenerator<string> {
  let after = -1
  for (;;) {
    const rows = await db
      .selectFrom('ledger_log_pending')
      .select(['pending_id', 'entries'])
      .where('pending_id', '>', after)
      .orderBy('pending_id')
      .limit(WAITING_ROWS)
      .execute()
    for (const { entries } of rows) yield* JSON.parse(entries) as readonly string[]
    after = rows.at(-1)?.pending_id ?? after
    if (rows.length < WAITING_ROWS) return
  }
}

/** How far the log says that it is; null where there is none. */
export async function readLogRow(db: Kysely<Schema>) {
  const row = await db
    .selectFrom('ledger_log')
    .select(['origin', 'size', 'roots', 'checkpoint', 'statements'])
    .where(sql<boolean>`log_id = 1`)
    .executeTakeFirst()
  return row === undefined ? null : { ...row, statements: linesOf(row.statements) }
}

/** The running number of an account's last entry; 0 without one. */
export async function readLastNumber(db: Kysely<Schema>, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('ledger_log_account')
    .select('number')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.number ?? 0
}
