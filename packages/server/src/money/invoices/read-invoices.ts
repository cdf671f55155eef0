/** Invoices as the console shows them. */
import {
  creditsJson,
  formatCredits,
  formatUsd,
  invoiceNumberText,
  nanocreditsOf,
  type Printed,
  type TeamInvoice,
  type TeamInvoiceList,
  usdJson,
} from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { csvField } from '../billing/csv-field.ts'
import { monthSpan, monthText, SETTLED_MS } from '../billing/month.ts'
import { openStatement, sumMonth } from '../billing/read-statement.ts'
import { type Invoice, type InvoiceLine, totalOf } from './invoice.ts'
import { type InvoiceDeps, sumsOf } from './issue-invoice.ts'

/** Ten years of months: an account has no more. */
const INVOICES_MAX = 120
/** Months that an invoice is offered for. */
const OPEN_MONTHS_MAX = 24

/** Invoices of an account, and months that have none yet; newest first. */
export async function listInvoices(deps: InvoiceDeps, accountId: string): Promise<Printed<TeamInvoiceList>> {
  const { statements, store } = deps
  const now = statements.clock.now()
  const [issued, { createdAt }] = await Promise.all([
    store.list(accountId, INVOICES_MAX),
    openStatement(statements, accountId, monthText(now)),
  ])
  const taken = new Set(issued.map(({ month }) => month))
  const open: string[] = []
  let month = monthText(monthSpan(monthText(now - SETTLED_MS)).from - 1)
  for (const first = monthText(createdAt); month >= first && open.length < OPEN_MONTHS_MAX;) {
    if (!taken.has(month)) open.push(month)
    month = monthText(monthSpan(month).from - 1)
  }
  return { data: issued.map(renderHead), open_months: open }
}

/** @throws {ServiceError} `invoice_not_found`. */
export async function getInvoice(deps: InvoiceDeps, accountId: string, number: number): Promise<Printed<TeamInvoice>> {
  return renderInvoice(deps, await findInvoice(deps, accountId, number))
}

/** With what the ledger has booked since. */
export async function renderInvoice({ statements }: InvoiceDeps, invoice: Invoice): Promise<Printed<TeamInvoice>> {
  const { accountId, lines, seller, buyer, note, isTest } = invoice
  const { from, to } = monthSpan(invoice.month)
  const booked = sumsOf(await sumMonth(statements, accountId, { from, to }))
  return {
    ...renderHead(invoice),
    ...{ is_test: isTest, seller, note, buyer, account_id: accountId, from: secondsOf(from), to: secondsOf(to) },
    lines: lines.map(({ amount, ...line }) => ({ ...line, credits: credits(amount), usd: usd(amount) })),
    total_usd_cents: centsText(totalOf(invoice)),
    opening_credits: credits(invoice.opening),
    sums: (['deposit', 'grant', 'adjustment', 'charge'] as const).map((kind) => ({
      kind,
      credits: credits(invoice.sums[kind]),
    })),
    closing_credits: credits(invoice.closing),
    booked_later_credits: credits(-booked.charge - booked.adjustment - totalOf(invoice)),
  }
}

const COLUMNS = ['invoice', 'month', 'kind', 'type', 'model', 'entries', 'credits', 'usd']

/**
 * An invoice as CSV (RFC 4180): both parties, each line, the total.
 *
 * @throws {ServiceError} `invoice_not_found`.
 */
export async function exportInvoice(deps: InvoiceDeps, accountId: string, number: number): Promise<string> {
  const invoice = await findInvoice(deps, accountId, number)
  const lineOf = ({ kind, type, model, entries, amount }: Omit<InvoiceLine, 'kind'> & { readonly kind: string }) => [
    ...[invoiceNumberText(number), invoice.month, kind, csvField(type), csvField(model), entries],
    ...[formatCredits(amount), formatUsd(nanocreditsOf(amount))],
  ]
  const entries = invoice.lines.reduce((count, line) => count + line.entries, 0)
  const partyOf = (kind: string, { name, address, tax_id: taxId }: Invoice['seller']) => [
    ...[invoiceNumberText(number), invoice.month, kind],
    ...[csvField([name, ...address.split('\n')].join(', ')), csvField(taxId), '', '', ''],
  ]
  const rows = [
    COLUMNS,
    partyOf('seller', invoice.seller),
    partyOf('buyer', invoice.buyer),
    ...invoice.lines.map(lineOf),
    lineOf({ kind: 'total', type: null, model: null, entries, amount: totalOf(invoice) }),
  ]
  return rows.map((row) => `${row.join(',')}\r\n`).join('')
}

async function findInvoice({ store }: InvoiceDeps, accountId: string, number: number): Promise<Invoice> {
  const invoice = await store.findByNumber(accountId, number)
  if (invoice !== null) return invoice
  throw new ServiceError('invoice_not_found', 'There is no such invoice of this account.', { param: 'number' })
}

function renderHead(invoice: Invoice): Printed<TeamInvoiceList>['data'][number] {
  const total = totalOf(invoice)
  return {
    ...{ number: invoice.number, month: invoice.month, issued_at: secondsOf(invoice.issuedAt) },
    ...{ total_credits: credits(total), total_usd: usd(total) },
  }
}

/** Nanocredits in one cent. */
const PER_CENT = 10_000_000_000n

/** US dollars to the cent, halves away from zero: the one rounding of an invoice. */
export function centsText(amount: bigint): string {
  const size = amount < 0n ? -amount : amount
  const cents = (size + PER_CENT / 2n) / PER_CENT
  return `${amount < 0n && cents > 0n ? '-' : ''}${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

function secondsOf(at: number): number {
  return Math.floor(at / 1_000)
}

function credits(amount: bigint) {
  return creditsJson(nanocreditsOf(amount))
}

function usd(amount: bigint) {
  return usdJson(nanocreditsOf(amount))
}
