/** The log on SQLite: what waits is recalled or read first, and one transaction puts it down. */
import type { DatabaseSync } from 'node:sqlite'
import { randomBytes } from 'node:crypto'
import type { SqliteDatabase } from '../../platform/db/sqlite-database.ts'
import { type AccountLine, type EntryFacts, SALTS_BYTES } from './entry-facts.ts'
import { factsOfRows, findEntryRows } from './entry-rows-store.ts'
import { extendLog, isTreeOf, packRoots, partialTiles, type LogExtension } from './extend-log.ts'
import { createLogReads } from './log-reads-store.ts'
import type { AppendContext, Appended, LogStore } from './log-store.ts'

/** Rows that wait and are looked at in one append. */
const ROWS_MAX = 256

interface PendingRow {
  readonly pending_id: number
  readonly entries: string
}

/** Opens the log in an embedded database. */
export function createSqliteLogStore(database: SqliteDatabase): LogStore {
  const { writer, read } = database
  let statements: Statements | null = null
  return {
    ...createLogReads(database),
    async append(context) {
      const rows = await read
        .selectFrom('ledger_log_pending')
        .selectAll()
        .orderBy('pending_id')
        .limit(ROWS_MAX)
        .execute()
      const { taken, facts } = await collect(rows, context, (entries) => findEntryRows(read, entries))
      if (taken.length === 0) return { edge: context.edge, leaves: 0 }
      statements ??= prepare(writer.connection)
      const known = statements
      // Whatever flushes the checkpoint has flushed this, too: the log of the database is one file, in order.
      return writer.transact(() => put(known, { context, taken, facts }), { isFlushed: false, isApart: true })
    },
  }
}

/** The first rows that wait, until they have as many entries as asked for, with the facts of their entries. */
async function collect(
  rows: readonly PendingRow[],
  context: AppendContext,
  find: (entries: readonly string[]) => ReturnType<typeof findEntryRows>,
) {
  const taken: PendingRow[] = []
  const facts: EntryFacts[] = []
  for (const row of rows) {
    if (facts.length >= context.most) break
    taken.push(row)
    const known = context.recall(row.pending_id, row.entries)
    facts.push(...(known ?? (await factsFrom(row.entries, context, find))))
  }
  return { taken, facts }
}

async function factsFrom(
  entriesJson: string,
  { onMissing }: AppendContext,
  find: (entries: readonly string[]) => ReturnType<typeof findEntryRows>,
): Promise<readonly EntryFacts[]> {
  const entries = JSON.parse(entriesJson) as readonly string[]
  const rows = await find(entries)
  const facts = entries.flatMap((entry, at) => {
    const found = rows[at] ?? null
    return found === null ? [] : factsOfRows(entry, found, randomBytes(SALTS_BYTES))
  })
  if (facts.length < entries.length) onMissing(entries.length - facts.length)
  return facts
}

type Statements = ReturnType<typeof prepare>

function prepare(connection: DatabaseSync) {
  const log = connection.prepare('select origin, size, roots from ledger_log')
  const tile = connection.prepare('select hashes from ledger_log_tile where level = ? and tile_index = ?')
  const account = connection.prepare('select number, posted from ledger_log_account where account_id = ?', {
    readBigInts: true,
  })
  // Whoever takes rows away takes the first: the others are what they were as long as it is.
  const takeAway = connection.prepare(
    `delete from ledger_log_pending where pending_id between :first and :last
       and exists (select 1 from ledger_log_pending where pending_id = :first and entries = :entries)`,
  )
  const insertBatch = connection.prepare(
    `insert into ledger_log_batch (first_index, size, earliest_at, latest_at, entries, salts, seal, sequenced_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const upsertTile = connection.prepare(
    `insert into ledger_log_tile (level, tile_index, hashes) values (?, ?, ?)
     on conflict (level, tile_index) do update set hashes = excluded.hashes`,
  )
  const upsertAccount = connection.prepare(
    `insert into ledger_log_account (account_id, number, posted) values (?, ?, ?)
     on conflict (account_id) do update set number = excluded.number, posted = excluded.posted`,
  )
  const updateLog = connection.prepare('update ledger_log set size = ?, roots = ?')
  return { log, tile, account, takeAway, insertBatch, upsertTile, upsertAccount, updateLog }
}

interface ToPut {
  readonly context: AppendContext
  readonly taken: readonly PendingRow[]
  readonly facts: readonly EntryFacts[]
}

/** Within a transaction. Nothing is done where the log is not as expected. */
function put(statements: Statements, { context, taken, facts }: ToPut): Appended {
  const row = statements.log.get()
  const { edge } = context
  if (row === undefined || !isTreeOf(edge, Number(row['size']), row['roots'] as Uint8Array)) {
    return { edge: null, leaves: 0 }
  }
  takeAway(statements, taken)
  if (facts.length === 0) return { edge, leaves: 0 }
  const origin = String(row['origin'])
  const end = { origin, edge, partials: partialsOf(statements, edge.size), accounts: accountsOf(statements, facts) }
  const extension = extendLog(end, facts, context.sealKey)
  write(statements, extension, context.now)
  return { edge: extension.edge, leaves: facts.length }
}

/** Ids are taken anew once their rows are gone, so the first row must say what it said. */
function takeAway(statements: Statements, taken: readonly PendingRow[]): void {
  const [first, last] = [taken[0], taken.at(-1)]
  if (first === undefined || last === undefined) return
  const range = { first: first.pending_id, last: last.pending_id, entries: first.entries }
  if (Number(statements.takeAway.run(range).changes) === taken.length) return
  throw new Error('an entry that waited for the ledger log is gone')
}

function partialsOf({ tile }: Statements, size: number): ReadonlyMap<number, Uint8Array> {
  const found = partialTiles(size).map(({ level, index }) => [level, tile.get(level, index)?.['hashes']] as const)
  return new Map(found.map(([level, hashes]) => [level, hashes as Uint8Array]))
}

function accountsOf({ account }: Statements, facts: readonly EntryFacts[]): ReadonlyMap<string, AccountLine> {
  const lines = new Map<string, AccountLine>()
  for (const accountJson of new Set(facts.map((each) => each.accountJson))) {
    const row = account.get(JSON.parse(accountJson) as string)
    if (row !== undefined) {
      lines.set(accountJson, { number: Number(row['number']), posted: row['posted'] as bigint })
    }
  }
  return lines
}

function write(statements: Statements, { batch, tiles, accounts, edge }: LogExtension, now: number): void {
  const { firstIndex, size, earliestAt, latestAt, entries, salts, seal } = batch
  statements.insertBatch.run(firstIndex, size, earliestAt, latestAt, entries, salts, seal, now)
  for (const { level, index, hashes } of tiles) statements.upsertTile.run(level, index, hashes)
  for (const [accountJson, { number, posted }] of accounts) {
    statements.upsertAccount.run(JSON.parse(accountJson) as string, number, posted)
  }
  statements.updateLog.run(edge.size, packRoots(edge))
}
