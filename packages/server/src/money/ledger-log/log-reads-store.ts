/** What both engines read of the log alike. */
import { HASH_BYTES } from '@svc/contract/log/merkle-tree'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { Schema } from '../../platform/db/schema.ts'
import type { LogStore } from './log-store.ts'

/** Batches that are looked at for one entry at most. */
const BATCHES_MAX = 4

/** The hashes of a tile, as many as there are; none where it is not there. */
export async function readHashes(db: Kysely<Schema>, level: number, index: number): Promise<Uint8Array> {
  const row = await db
    .selectFrom('ledger_log_tile')
    .select('hashes')
    .where('level', '=', level)
    .where('tile_index', '=', index)
    .executeTakeFirst()
  return row?.hashes ?? new Uint8Array()
}

const withLine = (line: string) =>
  sql<string>`case statements when '' then ${line} else statements || ${`\n${line}`} end`

/** What the log states, a line each. */
export function linesOf(statements: string): readonly string[] {
  return statements === '' ? [] : statements.split('\n')
}

/** Reads of the log, and the writes that are one statement. */
export function createLogReads(database: Database): Omit<LogStore, 'append'> {
  const { read } = database
  const keyRows = (keys: readonly string[], sinceSize: number, now: number) =>
    read
      .insertInto('ledger_log_key')
      .values(keys.map((key) => ({ verifier_key: key, since_size: sinceSize, added_at: now })))
      .onConflict((conflict) => conflict.column('verifier_key').doNothing())
      .compile()
  return {
    async readLog() {
      const row = await read.selectFrom('ledger_log').selectAll().executeTakeFirst()
      if (row === undefined) return null
      const { origin, size, roots, checkpoint, signed_size: signedSize, contradicted_by: contradictedBy } = row
      return { origin, size, roots, checkpoint, signedSize, contradictedBy, statements: linesOf(row.statements) }
    },
    async createLog(origin, keys, now) {
      const log = read
        .insertInto('ledger_log')
        .values({ log_id: 1, origin, size: 0, roots: Buffer.alloc(0), signed_size: 0, created_at: now })
        .onConflict((conflict) => conflict.column('log_id').doNothing())
      const [created] = await database.write([log.compile()])
      if (created === 1) await database.write([keyRows(keys, 0, now)])
    },
    async listKeys() {
      const rows = await read
        .selectFrom('ledger_log_key')
        .selectAll()
        .orderBy('since_size')
        .orderBy('added_at')
        .execute()
      return rows.map((row) => ({
        verifierKey: row.verifier_key,
        sinceSize: row.since_size,
        addedAt: row.added_at,
      }))
    },
    async addKeys(keys, sinceSize, now) {
      await database.write([keyRows(keys, sinceSize, now)])
    },
    async takeLease(holder, now, leaseMs) {
      const take = read
        .updateTable('ledger_log')
        .set({ holder, lease_until: now + leaseMs })
        .where((where) =>
          where.or([
            where('holder', 'is', null),
            where('holder', '=', holder),
            where('lease_until', '<=', now),
            // It was taken by a clock that was ahead of this one.
            where('lease_until', '>', now + 2 * leaseMs),
          ]),
        )
      const [taken] = await database.write([take.compile()])
      return taken === 1
    },
    async endLease(holder) {
      const end = read.updateTable('ledger_log').set({ holder: null, lease_until: null }).where('holder', '=', holder)
      await database.write([end.compile()])
    },
    async replaceKey({ keys, sinceSize, statement }, now) {
      const state = read.updateTable('ledger_log').set({ statements: withLine(statement) })
      await database.write([keyRows(keys, sinceSize, now), state.compile()])
    },
    async beginNewLog({ origin, replacedOrigin, keys, sinceSize, statement }, now, unmet) {
      const begin = read
        .updateTable('ledger_log')
        .set({ origin, statements: withLine(statement), checkpoint: null, signed_size: 0, contradicted_by: null })
        .where('origin', '=', replacedOrigin)
        .where('size', '=', sinceSize)
      await database.write([keyRows(keys, sinceSize, now)], { statement: begin.compile(), unmet })
    },
    async noteCheckpoint(checkpoint, size) {
      const statement = read
        .updateTable('ledger_log')
        .set({ checkpoint, signed_size: size })
        .where('size', '>=', size)
        .where('signed_size', '<=', size)
      await database.write([statement.compile()])
    },
    async noteContradiction(checkpoint) {
      const note = read.updateTable('ledger_log').set({ contradicted_by: checkpoint })
      await database.write([note.compile()])
    },
    async readTile({ level, index, width }) {
      const hashes = await readHashes(read, level, index)
      return hashes.length < width * HASH_BYTES ? null : hashes.subarray(0, width * HASH_BYTES)
    },
    async findBatches(entries, bookedAt) {
      const names = entries.map((entry) => {
        const name = JSON.stringify(entry)
        return database.engine === 'postgres' ? sql`strpos(entries, ${name}) > 0` : sql`instr(entries, ${name}) > 0`
      })
      const rows = await read
        .selectFrom('ledger_log_batch')
        .select(['first_index', 'size', 'entries', 'salts', 'seal'])
        .where('latest_at', '>=', bookedAt)
        .where('earliest_at', '<=', bookedAt)
        .where(sql<boolean>`(${sql.join(names, sql` or `)})`)
        .orderBy('latest_at')
        .limit(BATCHES_MAX)
        .execute()
      return rows.map(({ first_index: firstIndex, ...row }) => ({ firstIndex, ...row }))
    },
    async countPending() {
      const row = await read
        .selectFrom('ledger_log_pending')
        .select(({ fn }) => fn.countAll<number>().as('batches'))
        .executeTakeFirst()
      return row?.batches ?? 0
    },
  }
}
