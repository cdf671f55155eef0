/** The invariants of invoices: their numbers, and that the ledger has what they say. Source: decision 0170. */
import { sql } from 'kysely'
import {
  type AuditContext,
  BREACHES_MAX,
  type Finding,
  type Halves,
  type Invariant,
  joinHalves,
  sumOf,
} from './audit-query.ts'

/** Promises about invoices. */
export const invoiceInvariants: readonly Invariant[] = [
  {
    name: 'invoices',
    promise: 'invoices are numbered from 1 without a gap, and none says more than the ledger has for its month',
    check: checkInvoices,
  },
]

/** Invoices that are read at once. */
const PAGE = 1_000

interface InvoiceRow {
  readonly number: number
  readonly account_id: string
  readonly month: string
  readonly charge: bigint
}

async function checkInvoices(context: AuditContext): Promise<Finding> {
  const breaches: string[] = []
  let [last, invoices, charged, later] = [0, 0, 0n, 0n]
  for (;;) {
    const { rows } = await sql<InvoiceRow>`
      select number, account_id, month, charge from invoice where number > ${last}
       order by number limit ${sql.lit(PAGE)}`.execute(context.db)
    for (const row of rows) {
      if (row.number !== last + 1) breaches.push(`there is no invoice ${last + 1}`)
      last = row.number
      const booked = await chargedIn(context, row)
      if (booked < row.charge) breaches.push(`invoice ${row.number} says more than was charged in ${row.month}`)
      charged += row.charge
      later += booked - row.charge
    }
    invoices += rows.length
    if (rows.length < PAGE) break
  }
  return { figures: { invoices, charged, booked_later: later }, breaches: breaches.slice(0, BREACHES_MAX) }
}

async function chargedIn({ db, engine }: AuditContext, { account_id: accountId, month }: InvoiceRow): Promise<bigint> {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const { rows } = await sql<Halves>`
    select ${sumOf(engine, sql`charge`)} from transfer
     where account_id = ${accountId} and kind = 'capture'
       and created_at >= ${Date.UTC(year, number - 1)} and created_at < ${Date.UTC(year, number)}`.execute(db)
  return joinHalves(engine, rows[0])
}
