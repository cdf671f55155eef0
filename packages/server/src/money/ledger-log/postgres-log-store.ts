/** The log on PostgreSQL: the database makes the digests of what waits, and one transaction puts it down. */
import { randomBytes } from 'node:crypto'
import { entryKinds, type EntryKind } from '@svc/contract/log/ledger-entry'
import type { PoolClient } from 'pg'
import { beginWithin } from '../../platform/db/postgres-limits.ts'
import type { PostgresDatabase } from '../../platform/db/postgres-database.ts'
import { type AccountLine, type EntryFacts, SALTS_BYTES } from './entry-facts.ts'
import { extendLog, isTreeOf, type LogExtension, packRoots, partialTiles } from './extend-log.ts'
import { createLogReads } from './log-reads-store.ts'
import type { AppendContext, Appended, LogStore } from './log-store.ts'

/** Entries of one row that waits at most, beyond those that are asked for: a batch of the ledger. */
const BATCH_ENTRIES_MAX = 512

/** Opens the log in a PostgreSQL database. */
export function createPostgresLogStore(database: PostgresDatabase): LogStore {
  const { pool } = database
  return {
    ...createLogReads(database),
    async append(context) {
      const client = await pool.connect()
      try {
        await client.query(beginWithin(pool.limits))
        const appended = await put(client, context)
        await client.query('commit')
        return appended
      } catch (error) {
        await client.query('rollback').catch(() => undefined)
        throw error
      } finally {
        client.release()
      }
    },
  }
}

interface NextRow {
  readonly pending: readonly string[] | null
  readonly entries: bigint
  readonly lines: string | null
}

/** The row of the log is locked first: two processes never put entries down at once, whoever has the lease. */
async function put(client: PoolClient, context: AppendContext): Promise<Appended> {
  const { rows: logs } = await client.query<{ origin: string; size: bigint; roots: Buffer }>(
    'select origin, size, roots from ledger_log where log_id = 1 for update',
  )
  const [log] = logs
  const { edge } = context
  if (log === undefined || !isTreeOf(edge, Number(log.size), log.roots)) return { edge: null, leaves: 0 }
  const salts = randomBytes((context.most + BATCH_ENTRIES_MAX) * SALTS_BYTES)
  const next = await client.query<NextRow>('select * from ledger_log_next($1, $2)', [context.most, salts])
  const { pending = null, entries = 0n, lines = null } = next.rows[0] ?? {}
  if (pending === null) return { edge, leaves: 0 }
  const facts = lines === null ? [] : lines.split('\n').map((line) => factsOfLine(line, salts))
  if (facts.length < Number(entries)) context.onMissing(Number(entries) - facts.length)
  await client.query('delete from ledger_log_pending where pending_id = any ($1::bigint[])', [pending])
  if (facts.length === 0) return { edge, leaves: 0 }
  const [partials, accounts] = [await readPartials(client, edge.size), await readAccounts(client, facts)]
  const extension = extendLog({ origin: log.origin, edge, partials, accounts }, facts, context.sealKey)
  await write(client, extension, context.now)
  return { edge: extension.edge, leaves: facts.length }
}

/** The line of an entry, as `ledger_log_next` writes it. */
function factsOfLine(line: string, salts: Buffer): EntryFacts {
  const [place = '', entryJson = '', accountJson = '', kind = '', revision = '', amount = '', bookedAt = '', ...rest] =
    line.split('\t')
  const [reasonJson = '', recordDigest = '', operatorDigest = ''] = rest
  const from = (Number(place) - 1) * SALTS_BYTES
  return {
    ...{ entryJson, accountJson, reasonJson, recordDigest, operatorDigest },
    kind: kindFrom(kind),
    revision: Number(revision),
    amount: BigInt(amount),
    bookedAt: Number(bookedAt),
    salts: salts.subarray(from, from + SALTS_BYTES),
  }
}

function kindFrom(text: string): EntryKind {
  const kind = entryKinds.find((known) => known === text)
  if (kind === undefined) throw new Error(`the ledger log knows no entry of kind ${text}`)
  return kind
}

async function readPartials(client: PoolClient, size: number): Promise<ReadonlyMap<number, Uint8Array>> {
  const tiles = partialTiles(size)
  const { rows } = await client.query<{ level: number; hashes: Buffer }>(
    `select t.level, t.hashes from unnest($1::int[], $2::bigint[]) p (level, tile_index)
       join ledger_log_tile t on t.level = p.level and t.tile_index = p.tile_index`,
    [tiles.map(({ level }) => level), tiles.map(({ index }) => index)],
  )
  return new Map(rows.map(({ level, hashes }) => [level, hashes]))
}

async function readAccounts(
  client: PoolClient,
  facts: readonly EntryFacts[],
): Promise<ReadonlyMap<string, AccountLine>> {
  const ids = [...new Set(facts.map(({ accountJson }) => accountJson))].map((json) => JSON.parse(json) as string)
  const { rows } = await client.query<{ account_id: string; number: bigint; posted: bigint }>(
    'select account_id, number, posted from ledger_log_account where account_id = any ($1::text[])',
    [ids],
  )
  return new Map(
    rows.map(({ account_id: id, number, posted }) => [JSON.stringify(id), { number: Number(number), posted }]),
  )
}

async function write(client: PoolClient, { batch, tiles, accounts, edge }: LogExtension, now: number): Promise<void> {
  const { firstIndex, size, earliestAt, latestAt, entries, salts, seal } = batch
  await client.query(
    `insert into ledger_log_batch (first_index, size, earliest_at, latest_at, entries, salts, seal, sequenced_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [firstIndex, size, earliestAt, latestAt, entries, salts, seal, now],
  )
  await client.query(
    `insert into ledger_log_tile (level, tile_index, hashes)
       select * from unnest($1::int[], $2::bigint[], $3::bytea[])
     on conflict (level, tile_index) do update set hashes = excluded.hashes`,
    [tiles.map(({ level }) => level), tiles.map(({ index }) => index), tiles.map(({ hashes }) => hashes)],
  )
  const lines = [...accounts]
  await client.query(
    `insert into ledger_log_account (account_id, number, posted)
       select * from unnest($1::text[], $2::bigint[], $3::bigint[])
     on conflict (account_id) do update set number = excluded.number, posted = excluded.posted`,
    [
      lines.map(([accountJson]) => JSON.parse(accountJson) as string),
      lines.map(([, { number }]) => number),
      lines.map(([, { posted }]) => posted.toString()),
    ],
  )
  await client.query('update ledger_log set size = $1, roots = $2', [edge.size, packRoots(edge)])
}
