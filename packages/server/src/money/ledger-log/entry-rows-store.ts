/** The rows behind entries of the log, and the facts that they give. */
import type { EntryKind, LedgerRecord, OperatorRecord } from '@svc/contract/log/ledger-entry'
import type { Kysely } from 'kysely'
import type { Schema, TransferTable, UsageRecordTable } from '../../platform/db/schema.ts'
import { parseEntry } from '../ledger/logged-batch.ts'
import { digestOfOperator, digestOfRecord, type EntryFacts } from './entry-facts.ts'

/** What the database has for one entry. */
export interface EntryRows {
  /** Null where there was no request. */
  readonly record: UsageRecordTable | null
  /** Null where a request was free and cost nothing. */
  readonly transfer: TransferTable | null
}

/** Finds records of requests that are not in the database any more, by their ids. */
export type FindArchived = (ids: readonly string[]) => Promise<ReadonlyMap<string, UsageRecordTable>>

/** Ids in one question at most: SQLite takes 32,766 values, and plans stay small. */
const IDS_MAX = 500

/**
 * Finds the rows of entries, in their order; null for one whose row is gone.
 *
 * A request that had expired has two entries: the first one's record was replaced since, and is kept.
 */
export async function findEntryRows(
  db: Kysely<Schema>,
  entries: readonly string[],
  findArchived: FindArchived = nothing,
): Promise<readonly (EntryRows | null)[]> {
  const found: (EntryRows | null)[] = []
  for (let at = 0; at < entries.length; at += IDS_MAX) {
    found.push(...(await findSome(db, entries.slice(at, at + IDS_MAX), findArchived)))
  }
  return found
}

const nothing: FindArchived = () => Promise.resolve(new Map())

async function findSome(
  db: Kysely<Schema>,
  entries: readonly string[],
  findArchived: FindArchived,
): Promise<readonly (EntryRows | null)[]> {
  const named = entries.map(parseEntry)
  const ids = named.flatMap((entry) => entry?.id ?? [])
  const requests = named.flatMap((entry) => (entry === null || entry.kind === 'transfer' ? [] : entry.id))
  const [transfers, records, replaced] = await Promise.all([
    db.selectFrom('transfer').selectAll().where('transfer_id', 'in', ids).execute(),
    requests.length === 0 ? [] : db.selectFrom('usage_record').selectAll().where('usage_id', 'in', requests).execute(),
    requests.length === 0
      ? []
      : db.selectFrom('replaced_record').selectAll().where('usage_id', 'in', requests).execute(),
  ])
  const transferOf = new Map(transfers.map((row) => [row.transfer_id, row]))
  const recordOf = new Map(records.map((row) => [row.usage_id, row]))
  const missing = requests.filter((id) => !recordOf.has(id))
  if (missing.length > 0) for (const [id, row] of await findArchived(missing)) recordOf.set(id, row)
  const replacedOf = new Map(replaced.map((row) => [row.usage_id, row]))
  return named.map((entry): EntryRows | null => {
    if (entry === null) return null
    const transfer = transferOf.get(entry.id) ?? null
    if (entry.kind === 'transfer') return transfer === null ? null : { record: null, transfer }
    const first = entry.kind === 'request' ? (replacedOf.get(entry.id) ?? null) : null
    if (first !== null) return { record: first, transfer: null }
    const record = recordOf.get(entry.id) ?? null
    return record === null ? null : { record, transfer }
  })
}

/** The facts of an entry by its rows. The PostgreSQL function `ledger_log_next` makes the same of them. */
export function factsOfRows(entry: string, { record, transfer }: EntryRows, salts: Uint8Array): EntryFacts {
  return {
    entryJson: JSON.stringify(entry),
    accountJson: JSON.stringify(record?.account_id ?? transfer?.account_id ?? ''),
    kind: kindOf(record, transfer),
    revision: parseEntry(entry)?.kind === 'correction' ? 2 : 1,
    amount: transfer === null ? 0n : transfer.funding - transfer.charge,
    bookedAt: transfer?.created_at ?? record?.created_at ?? 0,
    reasonJson: JSON.stringify(transfer?.reason ?? null),
    recordDigest: record === null ? '' : digestOfRecord(JSON.stringify(recordOfRow(record))),
    operatorDigest: record === null ? '' : digestOfOperator(salts, JSON.stringify(operatorRecordOf(record, transfer))),
    salts,
  }
}

function kindOf(record: UsageRecordTable | null, transfer: TransferTable | null): EntryKind {
  if (transfer !== null && transfer.kind !== 'capture' && transfer.kind !== 'write_off') return transfer.kind
  return transfer?.kind === 'capture' || record === null ? 'charge' : 'free'
}

/** What the owner of the account sees of a request. Members in the order of their names. */
export function recordOfRow(row: UsageRecordTable): LedgerRecord {
  return {
    basis: row.basis,
    cached_tokens: row.cached_tokens,
    charge: row.charge.toString(),
    completion_tokens: row.completion_tokens,
    error_code: row.error_code,
    estimated: row.estimated === 1,
    key_id: row.key_id,
    latency_ms: row.latency_ms,
    model: row.model,
    pricing: row.pricing,
    prompt_tokens: row.prompt_tokens,
    reasoning_tokens: row.reasoning_tokens,
    recorded_at: row.created_at,
    request_id: row.usage_id,
    started_at: row.started_at,
    status: row.status,
    stream: row.stream === 1,
    team_id: row.team_id,
    type: row.type,
    upstream_model: row.upstream_model,
    version: 1,
  }
}

/** Members in the order of their names. */
function operatorRecordOf(record: UsageRecordTable, transfer: TransferTable | null): OperatorRecord {
  return {
    cost: (transfer?.cost ?? record.cost).toString(),
    generation_id: record.generation_id,
    margin: (transfer?.margin ?? 0n).toString(),
    upstream: record.upstream,
    version: 1,
    write_off: (transfer?.write_off ?? record.write_off).toString(),
  }
}
