import type { InvoiceParty, StatementKind } from '@svc/contract'
import { z } from 'zod'

/** A line of an invoice. Amounts are nanocredits; below 0 for what a correction gave back. */
export interface InvoiceLine {
  readonly kind: 'usage' | 'correction'
  readonly type: string | null
  readonly model: string | null
  readonly entries: number
  readonly amount: bigint
}

/** Everything that an invoice says, beside its number and its month. */
export interface InvoiceDocument {
  /** Whether it is about test money. */
  readonly isTest: boolean
  readonly seller: InvoiceParty
  readonly note: string | null
  readonly buyer: InvoiceParty
  readonly lines: readonly InvoiceLine[]
  readonly opening: bigint
  /** What moved the balance in the month. */
  readonly sums: Readonly<Record<StatementKind, bigint>>
  readonly closing: bigint
}

export interface Invoice extends InvoiceDocument {
  readonly number: number
  readonly accountId: string
  readonly month: string
  /** Milliseconds since the epoch. */
  readonly issuedAt: number
  readonly charge: bigint
  /** What corrections added to the balance; below 0 for what they took. */
  readonly correction: bigint
}

/** What an invoice comes to: charges less what corrections gave back. */
export function totalOf({ charge, correction }: Pick<Invoice, 'charge' | 'correction'>): bigint {
  return charge - correction
}

const amount = z
  .string()
  .regex(/^-?\d{1,30}$/)
  .transform(BigInt)
const party = z.object({ name: z.string(), address: z.string(), tax_id: z.string().nullable() })

const documentSchema = z.object({
  isTest: z.boolean(),
  seller: party,
  note: z.string().nullable(),
  buyer: party,
  lines: z.array(
    z.object({
      kind: z.enum(['usage', 'correction']),
      type: z.string().nullable(),
      model: z.string().nullable(),
      entries: z.int(),
      amount,
    }),
  ),
  opening: amount,
  sums: z.object({ deposit: amount, grant: amount, adjustment: amount, charge: amount }),
  closing: amount,
})

/** A document as JSON text. Amounts are whole nanocredits as text: no reader rounds them. */
export function writeDocument(document: InvoiceDocument): string {
  return JSON.stringify(document, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

/** Reads it again. */
export function readDocument(text: string): InvoiceDocument {
  return documentSchema.parse(JSON.parse(text))
}
