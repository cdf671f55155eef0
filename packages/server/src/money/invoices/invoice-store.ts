import type { InvoiceParty } from '@svc/contract'
import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { type Invoice, readDocument, writeDocument } from './invoice.ts'

export interface InvoiceStore {
  /** Writes an invoice with the next number, unless the month of the account has one. */
  issue(invoice: Omit<Invoice, 'number'>): Promise<void>
  /** Null when the account has none for the month. */
  findByMonth(accountId: string, month: string): Promise<Invoice | null>
  /** Null when the account has none of this number. */
  findByNumber(accountId: string, number: number): Promise<Invoice | null>
  /** Newest first; at most so many. */
  list(accountId: string, limit: number): Promise<readonly Invoice[]>
  /** Null where none were given. */
  findDetails(accountId: string): Promise<InvoiceParty | null>
  setDetails(accountId: string, details: InvoiceParty, now: number): Promise<void>
}

/** Makes the store of invoices and of whom they are made out to. */
export function createInvoiceStore(database: Database): InvoiceStore {
  const { read } = database
  const invoices = (accountId: string) =>
    read
      .selectFrom('invoice')
      .select(['number', 'account_id', 'month', 'issued_at', 'charge', 'correction_amount', 'document'])
      .where('account_id', '=', accountId)
  return {
    async issue(invoice) {
      const { accountId, month, issuedAt, charge, correction, ...document } = invoice
      const insert = sql`
        insert into invoice (number, account_id, month, issued_at, charge, correction_amount, document)
        select coalesce((select max(number) from invoice), 0) + 1, cast(${accountId} as text), cast(${month} as text),
               cast(${issuedAt} as bigint), cast(${charge} as bigint), cast(${correction} as bigint),
               cast(${writeDocument(document)} as text)
         where not exists (select 1 from invoice where account_id = ${accountId} and month = ${month})`
      // One after the other: of two at once each sees what the other has written.
      const lock = read.updateTable('invoice_series').set((set) => ({ series_id: set.ref('series_id') }))
      await database.write([lock.compile(), insert.compile(read)])
    },
    async findByMonth(accountId, month) {
      const row = await invoices(accountId).where('month', '=', month).executeTakeFirst()
      return row === undefined ? null : invoiceOf(row)
    },
    async findByNumber(accountId, number) {
      const row = await invoices(accountId).where('number', '=', number).executeTakeFirst()
      return row === undefined ? null : invoiceOf(row)
    },
    async list(accountId, limit) {
      return (await invoices(accountId).orderBy('month', 'desc').limit(limit).execute()).map(invoiceOf)
    },
    async findDetails(accountId) {
      const query = read.selectFrom('billing_details').select(['name', 'address', 'tax_id'])
      return (await query.where('account_id', '=', accountId).executeTakeFirst()) ?? null
    },
    async setDetails(accountId, { name, address, tax_id: taxId }, now) {
      const values = { name, address, tax_id: taxId, updated_at: now }
      const statement = read
        .insertInto('billing_details')
        .values({ account_id: accountId, ...values })
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
      await database.write([statement.compile()])
    },
  }
}

interface InvoiceRow {
  readonly number: number
  readonly account_id: string
  readonly month: string
  readonly issued_at: number
  readonly charge: bigint
  readonly correction_amount: bigint
  readonly document: string
}

function invoiceOf(row: InvoiceRow): Invoice {
  return {
    ...readDocument(row.document),
    ...{ number: row.number, accountId: row.account_id, month: row.month, issuedAt: row.issued_at },
    ...{ charge: row.charge, correction: row.correction_amount },
  }
}
