/**
 * Room `money/ledger-log`: puts down what the ledger has booked in an append-only tree, signs it, and gives out receipts.
 * It moves no money and is on the way of no request. Its invariant: a checkpoint that was signed is never contradicted.
 * Source: decision 0146.
 *
 * This file: what is known of an entry before its place in the log is, and the text of its leaf.
 */
import { hash } from 'node:crypto'
import type { EntryKind } from '@svc/contract/log/ledger-entry'
import { SALT_BYTES } from '@svc/contract/log/ledger-leaf'

/** Bytes of the two salts of an entry: the leaf's, then the operator's. */
export const SALTS_BYTES = 2 * SALT_BYTES

/** Everything but the running number and the balance. Members that end in `Json` are JSON texts. */
export interface EntryFacts {
  /** Mark and id, as the ledger has named it. */
  readonly entryJson: string
  readonly accountJson: string
  readonly kind: EntryKind
  readonly revision: number
  /** Nanocredits that it adds to the balance. */
  readonly amount: bigint
  readonly bookedAt: number
  readonly reasonJson: string
  /** Lower-case hex; empty where there was no request. */
  readonly recordDigest: string
  readonly operatorDigest: string
  /** The leaf's salt and the operator's. */
  readonly salts: Uint8Array
}

/** Where an account is in the log. */
export interface AccountLine {
  readonly number: number
  readonly posted: bigint
}

/**
 * The text of an entry: canonical JSON, members by name. `canonicalJson` makes the same of a `LedgerEntry`; here most of
 * it is text already, and thousands are made at once.
 */
export function entryText(facts: EntryFacts, { number, posted }: AccountLine): string {
  const { accountJson, amount, bookedAt, entryJson, kind, reasonJson, recordDigest, operatorDigest, revision } = facts
  return (
    `{"account_id":${accountJson},"amount":"${amount}","balance":"${posted}","booked_at":${bookedAt},` +
    `"id":"${entryJson.slice(2)},"kind":"${kind}","number":${number},"operator_digest":${digestJson(operatorDigest)},` +
    `"reason":${reasonJson},"record_digest":${digestJson(recordDigest)},"revision":${revision},"version":1}`
  )
}

function digestJson(digest: string): string {
  return digest === '' ? 'null' : `"${digest}"`
}

/** SHA-256 as all of this room makes it: a text of bytes is the cheapest way out of Node's `hash`. */
export function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'binary')
}

/** Room for the text of nearly every record; a longer one has its own. */
const SCRATCH = Buffer.alloc(16_384)
const UTF8_BYTES_MAX = 3

/** Room for so many bytes and a text behind them, until it is asked for again. */
export function roomFor(bytes: number, text: string): Buffer {
  const most = bytes + text.length * UTF8_BYTES_MAX
  return most <= SCRATCH.length ? SCRATCH : Buffer.alloc(most)
}

/** The digest of a record, of its canonical JSON. */
export function digestOfRecord(recordJson: string): string {
  return hash('sha256', recordJson, 'hex')
}

/** The digest of what only the operator sees, of its canonical JSON. */
export function digestOfOperator(salts: Uint8Array, recordJson: string): string {
  const data = roomFor(SALT_BYTES, recordJson)
  data.set(salts.subarray(SALT_BYTES), 0)
  return hash('sha256', data.subarray(0, SALT_BYTES + data.write(recordJson, SALT_BYTES, 'utf8')), 'hex')
}
