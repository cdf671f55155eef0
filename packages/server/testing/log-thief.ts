/** Someone who has the whole database and none of the keys, and makes the ledger log match the rows that they changed. */
import { EMPTY_EDGE } from '@svc/contract/log/merkle-tree'
import { type AccountLine, type EntryFacts, SALTS_BYTES } from '../src/money/ledger-log/entry-facts.ts'
import { factsOfRows, findEntryRows } from '../src/money/ledger-log/entry-rows-store.ts'
import { extendLog, packRoots, type StoredTile } from '../src/money/ledger-log/extend-log.ts'
import type { BreakableDatabase } from './breakable-database.ts'
import type { TestDatabase } from './test-database.ts'

/** A batch of the log as the thief has it: names of entries with their salts. */
export interface StolenBatch {
  readonly seal: Uint8Array
  entries: { readonly entry: string; readonly salts: Uint8Array }[]
}

const NO_KEY = { keyId: new Uint8Array(4), secret: new Uint8Array(32) }

/** Reads the batches, lets them be changed, and writes tiles, running numbers, balances and roots to match. */
export async function rewriteLog(
  test: TestDatabase,
  hand: BreakableDatabase,
  change: (batches: StolenBatch[]) => void = () => undefined,
): Promise<void> {
  const { read, engine } = test.database
  const literal = (bytes: Uint8Array): string => {
    const hex = Buffer.from(bytes).toString('hex')
    return engine === 'postgres' ? `'\\x${hex}'::bytea` : `x'${hex}'`
  }
  const rows = await read.selectFrom('ledger_log_batch').selectAll().orderBy('first_index').execute()
  const batches = rows.map(({ entries, salts, seal }) => ({
    seal,
    entries: entries.split('\n').map((line, at) => ({
      entry: JSON.parse(line.slice(0, line.lastIndexOf(' ', line.lastIndexOf(' ') - 1))) as string,
      salts: salts.subarray(at * SALTS_BYTES, (at + 1) * SALTS_BYTES),
    })),
  }))
  change(batches)
  for (const table of ['ledger_log_batch', 'ledger_log_tile', 'ledger_log_account'])
    await hand.run(`delete from ${table}`)
  const tiles = new Map<string, StoredTile>()
  const accounts = new Map<string, AccountLine>()
  let edge = EMPTY_EDGE
  for (const { entries, seal } of batches) {
    const found = await findEntryRows(
      read,
      entries.map(({ entry }) => entry),
    )
    const facts = entries.flatMap(({ entry, salts }, at): EntryFacts[] => {
      const row = found[at] ?? null
      return row === null ? [] : [factsOfRows(entry, row, salts)]
    })
    const partials = new Map([...tiles.values()].map((tile) => [tile.level, tile.hashes]))
    for (const [level, hashes] of partials) if (hashes.length % 8_192 === 0) partials.delete(level)
    const grown = extendLog({ origin: '', edge, partials, accounts }, facts, NO_KEY)
    edge = grown.edge
    for (const tile of grown.tiles) tiles.set(`${tile.level}/${tile.index}`, tile)
    for (const [account, line] of grown.accounts) accounts.set(account, line)
    const { firstIndex, size, earliestAt, latestAt, entries: lines, salts } = grown.batch
    await hand.run(
      `insert into ledger_log_batch (first_index, size, earliest_at, latest_at, entries, salts, seal, sequenced_at)
         values (${firstIndex}, ${size}, ${earliestAt}, ${latestAt}, '${lines.replaceAll("'", "''")}', ${literal(salts)},
                 ${literal(seal)}, 1)`,
    )
  }
  for (const { level, index, hashes } of tiles.values()) {
    await hand.run(
      `insert into ledger_log_tile (level, tile_index, hashes) values (${level}, ${index}, ${literal(hashes)})`,
    )
  }
  await hand.run(`update ledger_log set size = ${edge.size}, roots = ${literal(packRoots(edge))}`)
}
