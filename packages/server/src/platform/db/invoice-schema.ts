/** The tables about invoices, as both engines have them. */

/** An invoice that was issued: never changed. */
export interface InvoiceTable {
  /** From 1, over the whole gateway, without a gap. */
  number: number
  account_id: string
  /** Of UTC, such as `2026-01`. */
  month: string
  issued_at: number
  /** What the month's requests took. */
  charge: bigint
  /** What corrections added to the balance; below 0 for what they took. */
  correction_amount: bigint
  /** JSON text of an `InvoiceDocument`. */
  document: string
}

/** One row, which is locked while a number is given. */
export interface InvoiceSeriesTable {
  series_id: number
}

export interface BillingDetailsTable {
  account_id: string
  name: string
  /** Lines. */
  address: string
  tax_id: string | null
  updated_at: number
}
