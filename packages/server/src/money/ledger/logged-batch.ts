/** What the ledger leaves behind for the ledger log, in the transaction that has booked it. Source: decision 0146. */
import type { CreditRow, HoldEnding, HoldRow } from './sqlite-ledger-rows.ts'

/** Kinds of entries and how the list of them marks each: a text of the mark and the id. */
const MARKS = {
  /** A request that has ended, as its record was at first. */
  request: 'r',
  /** One that had expired, and whose record is another one now. */
  correction: 'R',
  /** A credit: no request belongs to it. */
  transfer: 't',
} as const

export type LoggedKind = keyof typeof MARKS

/** Names an entry in the list. */
export function entryOf(kind: LoggedKind, id: string): string {
  return `${MARKS[kind]}${id}`
}

/** What an entry of the list names; null for a text that is none. */
export function parseEntry(entry: string): { readonly kind: LoggedKind; readonly id: string } | null {
  const kind = (Object.keys(MARKS) as LoggedKind[]).find((known) => MARKS[known] === entry[0])
  return kind === undefined ? null : { kind, id: entry.slice(1) }
}

/** A request that ended in a batch. */
export interface EndedRequest {
  readonly hold: HoldRow
  readonly ending: HoldEnding
  readonly teamId: string | null
}

/** What one batch has booked, as it is in memory: the writer of the log need not read it again. */
export interface LoggedBatch {
  /** Of the row that names these entries. The same id may come again once that row is gone. */
  readonly pendingId: number
  /** JSON text: the entries in their order. */
  readonly entries: string
  /** What they name, in the same order. */
  readonly booked: readonly Booked[]
}

/** What an entry names. */
export type Booked = EndedRequest | CreditRow
