/** Issues the invoice of a month: from the ledger's rows alone, so that it equals the ledger to the nanocredit. */
import type { InvoiceParty, StatementKind } from '@svc/contract'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import {
  type ModelSum,
  openStatement,
  type ReadStatementDeps,
  STATEMENT_KINDS,
  sumMonth,
} from '../billing/read-statement.ts'
import { SETTLED_MS } from '../billing/month.ts'
import type { Invoice, InvoiceLine } from './invoice.ts'
import type { InvoiceStore } from './invoice-store.ts'

export type { InvoiceStore } from './invoice-store.ts'

/** Who sells, as every document names them. */
export interface Seller extends InvoiceParty {
  /** What every invoice says at its end. */
  readonly note: string | null
}

export interface InvoiceDeps {
  readonly statements: ReadStatementDeps
  readonly store: InvoiceStore
  /** Null until the operator has given name and address. */
  readonly readSeller: () => Promise<Seller | null>
  readonly isTest: boolean
}

/**
 * The invoice of an account's month. A month has one: issuing it again gives the same.
 *
 * @param store writes while the member who asks may do so.
 * @throws {ServiceError} `invalid_value` for a month that is not over for a day, in which nothing was charged, or while
 *   one of the parties has given no details.
 */
export async function issueInvoice(
  { statements, readSeller, isTest, ...deps }: InvoiceDeps,
  store: Pick<InvoiceStore, 'issue'>,
  { accountId, month }: { readonly accountId: string; readonly month: string },
): Promise<Invoice> {
  const present = await deps.store.findByMonth(accountId, month)
  if (present !== null) return present
  const { opening, from, to } = await openStatement(statements, accountId, month)
  const now = statements.clock.now()
  if (now < to + SETTLED_MS) {
    throw refusal('month', `The invoice of ${month} can be issued a day after the month has ended (UTC).`)
  }
  const [seller, buyer] = await Promise.all([readSeller(), deps.store.findDetails(accountId)])
  if (seller === null) throw refusal('month', 'The operator of this gateway has not given its business details yet.')
  if (buyer === null) throw refusal('month', 'Give the billing details first: name and address of whom it is for.')
  const moved = await sumMonth(statements, accountId, { from, to })
  const sums = sumsOf(moved)
  if (sums.charge === 0n) throw refusal('month', `Nothing was charged in ${month}.`)
  const { note, ...party } = seller
  await store.issue({
    ...{ accountId, month, issuedAt: now, isTest, note, buyer, seller: party },
    ...{ charge: -sums.charge, correction: sums.adjustment },
    lines: linesOf(moved, sums.adjustment),
    ...{ opening, sums, closing: opening + sums.deposit + sums.grant + sums.adjustment + sums.charge },
  })
  const issued = await deps.store.findByMonth(accountId, month)
  if (issued === null) throw new InvariantError(`the invoice of ${month} of ${accountId} was not written`)
  return issued
}

/** What each kind added to the balance. */
export function sumsOf(moved: readonly ModelSum[]): Record<StatementKind, bigint> {
  const sums: Record<StatementKind, bigint> = { deposit: 0n, grant: 0n, adjustment: 0n, charge: 0n }
  for (const { kind, amount } of moved) sums[STATEMENT_KINDS[kind]] += amount
  return sums
}

/** The dearest model first; what corrections gave back is the last line, and below 0. */
function linesOf(moved: readonly ModelSum[], correction: bigint): readonly InvoiceLine[] {
  const usage = moved
    .filter(({ kind }) => kind === 'capture')
    .map(({ type, model, entries, amount }) => ({ kind: 'usage' as const, type, model, entries, amount: -amount }))
    .toSorted((a, b) => Number(b.amount - a.amount > 0n) - Number(b.amount - a.amount < 0n))
  const corrections = moved.filter(({ kind }) => kind === 'adjustment')
  const entries = corrections.reduce((count, one) => count + one.entries, 0)
  if (entries === 0) return usage
  return [...usage, { kind: 'correction', type: null, model: null, entries, amount: -correction }]
}

function refusal(param: string, message: string): ServiceError {
  return new ServiceError('invalid_value', message, { param })
}
