/** Receipts: one line of an account, with the proof that it is in the log. */
import { base64Of } from '@svc/contract/log/bytes'
import type { SignedCheckpoint } from '@svc/contract/log/checkpoint'
import { SALT_BYTES } from '@svc/contract/log/ledger-leaf'
import { type LedgerEntry, ledgerEntry } from '@svc/contract/log/ledger-entry'
import { proveInclusion } from '@svc/contract/log/merkle-proof'
import type { Receipt } from '@svc/contract/log/receipt'
import { nodesOfTiles } from '@svc/contract/log/tiles'
import { formatTlogProof } from '@svc/contract/log/tlog-proof'
import type { Caller } from '../../access/keys/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { archivedHint } from '../ledger/read-archive.ts'
import { entryOf } from '../ledger/logged-batch.ts'
import { type BatchLine, parseLine } from './batch-line.ts'
import { entryText, SALTS_BYTES, sha256 } from './entry-facts.ts'
import { type EntryRows, factsOfRows, findEntryRows, recordOfRow } from './entry-rows-store.ts'
import type { LedgerLog } from './ledger-log.ts'
import type { LogStore } from './log-store.ts'

export interface ReceiptDeps {
  readonly database: Database
  readonly store: LogStore
  readonly log: Pick<LedgerLog, 'published'>
}

/** Whose receipts are asked for: those of a key; of an account or any, for a caller whose right was checked before. */
export type ReceiptReach = Pick<Caller, 'keyId' | 'accountId' | 'rights'> | { readonly everythingOf: string } | 'any'

/** An entry with its rows and its place. */
interface FoundLeaf {
  readonly index: number
  readonly line: BatchLine
  readonly rows: EntryRows
  readonly salts: Uint8Array
}

/** What clients see before the id of a deposit. */
const DEPOSIT_PREFIX = /^dep_/

/** Entries are put down within this time, in seconds. */
const PENDING_SECONDS = 1

/**
 * Makes the receipt of a request of the key in use, or of a deposit, a grant or an adjustment of its account.
 *
 * @param id of the request or the transfer; of a deposit with or without `dep_`.
 *
 * @throws {ServiceError} `usage_not_found` for what there is not, and for what is another key's or account's;
 *   `key_scope_denied` without the right to see deposits; `receipt_pending` before it is in the log;
 *   `server_is_overloaded` while the log is refused.
 */
export async function makeReceipt(deps: ReceiptDeps, reach: ReceiptReach, id: string): Promise<Receipt> {
  const candidates = await findInReach(deps, reach, id)
  if (candidates.length === 0) {
    const hint = await archivedHint(deps.database.read, id.toLowerCase())
    const text = `Neither a request of this key nor a transfer has the id ${JSON.stringify(id)}.${hint}`
    throw new ServiceError('usage_not_found', text, { param: 'receipt_id' })
  }
  const head = await deps.log.published()
  if (head === null) throw new ServiceError('server_is_overloaded', 'The ledger log gives out nothing at the moment.')
  for (const { entry, rows } of candidates) {
    const leaf = await findLeaf(deps, entry, rows)
    if (leaf !== null && leaf.index < head.size) return receiptOf(deps, leaf, head)
  }
  throw new ServiceError('receipt_pending', 'This is not in the ledger log yet. Ask again in a second.', {
    retryAfterSeconds: PENDING_SECONDS,
  })
}

/** The entries that the id may have, the newest first. */
async function findInReach(
  { database }: ReceiptDeps,
  reach: ReceiptReach,
  id: string,
): Promise<readonly { readonly entry: string; readonly rows: EntryRows }[]> {
  const requestId = id.toLowerCase()
  const transferIds = new Set([id, id.replace(DEPOSIT_PREFIX, '').toLowerCase()])
  const names = [
    entryOf('correction', requestId),
    entryOf('request', requestId),
    ...[...transferIds].map((transferId) => entryOf('transfer', transferId)),
  ]
  const found = await findEntryRows(database.read, names)
  return names.flatMap((entry, at) => {
    const rows = found[at] ?? null
    if (rows === null) return []
    if (reach === 'any') return [{ entry, rows }]
    if ('everythingOf' in reach) return accountOf(rows) === reach.everythingOf ? [{ entry, rows }] : []
    if (rows.record !== null) return rows.record.key_id === reach.keyId ? [{ entry, rows }] : []
    if (rows.transfer?.hold_id !== null || rows.transfer.account_id !== reach.accountId) return []
    if (reach.rights.has('deposits')) return [{ entry, rows }]
    throw new ServiceError('key_scope_denied', "This key does not have the right 'deposits'.")
  })
}

function accountOf({ record, transfer }: EntryRows): string | undefined {
  return record?.account_id ?? transfer?.account_id
}

async function findLeaf({ store }: ReceiptDeps, entry: string, rows: EntryRows): Promise<FoundLeaf | null> {
  const { bookedAt } = factsOfRows(entry, rows, new Uint8Array(SALTS_BYTES))
  for (const { firstIndex, entries, salts } of await store.findBatches([entry], bookedAt)) {
    const lines = entries.split('\n').map(parseLine)
    const at = lines.findIndex((line) => line.entry === entry)
    const line = lines[at]
    if (line === undefined) continue
    return { index: firstIndex + at, line, rows, salts: salts.subarray(at * SALTS_BYTES, (at + 1) * SALTS_BYTES) }
  }
  return null
}

async function receiptOf({ store }: ReceiptDeps, leaf: FoundLeaf, head: SignedCheckpoint): Promise<Receipt> {
  const { index, line, rows, salts } = leaf
  const facts = factsOfRows(line.entry, rows, salts)
  const entry: LedgerEntry = ledgerEntry.parse(JSON.parse(entryText(facts, line)))
  const readNode = nodesOfTiles(sha256, head.size, async (tile) => (await store.readTile(tile)) ?? new Uint8Array())
  const hashes = await proveInclusion({ sha256, readNode }, index, head.size)
  return {
    object: 'receipt',
    version: 1,
    entry,
    record: rows.record === null ? null : recordOfRow(rows.record),
    salt: base64Of(salts.subarray(0, SALT_BYTES)),
    proof: formatTlogProof({ index, hashes, checkpoint: head.note }),
  }
}
