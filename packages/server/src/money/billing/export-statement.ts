/** A statement as a file, made while it is sent: a month may have millions of lines. */
import { formatCredits, formatUsd, nanocreditsOf } from '@svc/contract'
import { testMoneyText } from '../../chain/test-money.ts'
import { csvField } from './csv-field.ts'
import { openStatement, type ReadStatementDeps } from './read-statement.ts'
import { beginningOf, behind, type BookingPlace, type StatementRow } from './statement-store.ts'

/** Rows that are read at once. Source: some milliseconds, after which others run. */
const ROWS = 250

const COLUMNS = ['booked_at', 'kind', 'description', 'reference', 'credits', 'balance_credits', 'usd', 'balance_usd']

interface Line {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly kind: string
  readonly description: string | null
  readonly reference: string | null
  /** Null for the balances at both ends. */
  readonly amount: bigint | null
  readonly balance: bigint
}

/**
 * The month as CSV (RFC 4180): the opening balance, every entry with the balance after it, the closing balance.
 *
 * @throws {ServiceError} `invalid_value` for a month without a statement, before the first line.
 */
export async function exportStatement(
  deps: ReadStatementDeps,
  accountId: string,
  month: string,
): Promise<AsyncGenerator<string, void, undefined>> {
  const opened = await openStatement(deps, accountId, month)
  return writeLines(deps, accountId, opened)
}

async function* writeLines(
  { store, clock, hasLocalChains }: ReadStatementDeps,
  accountId: string,
  { from, to, opening }: Awaited<ReturnType<typeof openStatement>>,
): AsyncGenerator<string, void, undefined> {
  const ends = { reference: null, description: null, amount: null }
  yield `${COLUMNS.join(',')}\r\n${lineOf({ ...ends, at: from, kind: 'opening', balance: opening })}`
  let balance = opening
  for (let start: BookingPlace | null = beginningOf(from); start !== null;) {
    const rows: readonly StatementRow[] = await store.list({ accountId, start, end: beginningOf(to) }, ROWS)
    let text = ''
    for (const row of rows) {
      balance += row.amount
      text += lineOf({
        ...describe(row, hasLocalChains),
        at: row.bookedAt,
        reference: row.transferId,
        amount: row.amount,
        balance,
      })
    }
    if (text !== '') yield text
    const last = rows.at(-1)
    start = rows.length < ROWS || last === undefined ? null : behind(last)
  }
  yield lineOf({ ...ends, at: Math.min(to, clock.now()), kind: 'closing', balance })
}

function describe(row: StatementRow, hasLocalChains: boolean): Pick<Line, 'kind' | 'description'> {
  const { kind, deposit, reason, type, model, keyName } = row
  if (kind === 'capture') return { kind: 'charge', description: `${type ?? ''} ${model ?? ''}, key ${keyName ?? ''}` }
  if (deposit !== null) {
    const mark = testMoneyText(deposit.chainId, hasLocalChains)
    const chain = mark === null ? `chain ${deposit.chainId}` : `chain ${deposit.chainId} (${mark})`
    return { kind, description: `${deposit.asset} on ${chain}, transaction ${deposit.txHash}` }
  }
  return { kind, description: reason }
}

function lineOf({ at, kind, description, reference, amount, balance }: Line): string {
  const time = new Date(at).toISOString()
  const credits = amount === null ? '' : formatCredits(amount)
  const usd = amount === null ? '' : formatUsd(nanocreditsOf(amount))
  const texts = [time, csvField(kind), csvField(description), csvField(reference)]
  return `${[...texts, credits, formatCredits(balance), usd, formatUsd(nanocreditsOf(balance))].join(',')}\r\n`
}
