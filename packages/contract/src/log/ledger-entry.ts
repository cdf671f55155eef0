/**
 * What a leaf of the ledger log says. Version 1; docs/trust.md shows it byte by byte. Amounts are nanocredits as decimal
 * text, times are milliseconds since the epoch.
 */
import { z } from 'zod'

/** The version of everything below. */
export const LEAF_VERSION = 1

/** Kinds of entries: a charged request, one that was free, and what moves a balance without a request. */
export const entryKinds = ['charge', 'free', 'grant', 'adjustment', 'deposit'] as const

export type EntryKind = (typeof entryKinds)[number]

const amount = z.string().regex(/^(?:0|-?[1-9]\d{0,18})$/, 'give nanocredits as decimal text')
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'give 64 lower-case hex digits')
/** Halves of a character have no canonical form. */
const text = z
  .string()
  .max(20_000)
  .refine((value) => value.isWellFormed(), 'give well-formed text')
const count = z.int().nonnegative()

/** One line of an account, as its owner sees it. */
export const ledgerEntry = z
  .strictObject({
    version: z.literal(LEAF_VERSION),
    kind: z.enum(entryKinds),
    id: text.describe('Of the request, the deposit, the grant or the adjustment.'),
    revision: z.int().min(1).describe('1; 2 for what corrects an earlier entry of the same id.'),
    account_id: text,
    number: z.int().min(1).describe("The account's own running number, from 1 on: none is left out."),
    amount: amount.describe('What it adds to the balance, in nanocredits; negative for a charge.'),
    balance: amount.describe('The balance after it, in nanocredits.'),
    booked_at: count.describe('Milliseconds since the epoch.'),
    reason: text.nullable(),
    record_digest: digest.nullable().describe('SHA-256 of the record; null where there was no request.'),
    operator_digest: digest
      .nullable()
      .describe('Salted SHA-256 of what only the operator sees; null where there was no request.'),
  })
  .meta({ id: 'LedgerEntry' })

export type LedgerEntry = Readonly<z.output<typeof ledgerEntry>>

/** What the account's owner may see of a request. */
export const ledgerRecord = z
  .strictObject({
    version: z.literal(LEAF_VERSION),
    request_id: text,
    team_id: text.nullable(),
    key_id: text,
    started_at: count.describe('Milliseconds since the epoch.'),
    recorded_at: count.describe('When the record was first written.'),
    type: text,
    model: text,
    upstream_model: text.nullable(),
    status: text,
    error_code: text.nullable(),
    stream: z.boolean(),
    prompt_tokens: count.nullable(),
    completion_tokens: count.nullable(),
    cached_tokens: count.nullable(),
    reasoning_tokens: count.nullable(),
    charge: amount.describe('In nanocredits.'),
    basis: text.nullable(),
    estimated: z.boolean(),
    pricing: text.nullable().describe('JSON text from which the charge can be recomputed.'),
    latency_ms: count.nullable(),
  })
  .meta({ id: 'LedgerRecord' })

export type LedgerRecord = Readonly<z.output<typeof ledgerRecord>>

/** What only the operator sees of a request. */
export interface OperatorRecord {
  readonly version: typeof LEAF_VERSION
  readonly upstream: string | null
  readonly generation_id: string | null
  readonly cost: string
  readonly margin: string
  readonly write_off: string
}
