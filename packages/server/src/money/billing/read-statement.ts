/** The statement of an account's month: from the ledger's rows alone, so that its sums are those of the books. */
import {
  creditsJson,
  nanocreditsOf,
  type Printed,
  type StatementKind,
  type TeamStatement,
  type TeamStatementEntries,
  type TeamStatementEntriesQuery,
  type TeamStatementEntry,
} from '@svc/contract'
import { formatAmount } from '../../chain/format-amount.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { addSums, type BookedSums, subtractSums, totalOf } from './booked-sums.ts'
import { type Month, monthSpan, monthText, SETTLED_MS } from './month.ts'
import {
  beginningOf,
  behind,
  type BookingPlace,
  type ModelSum,
  type MovedSums,
  type MovingKind,
  type StatementRow,
  type StatementStore,
} from './statement-store.ts'

export type { ModelSum } from './statement-store.ts'

export interface ReadStatementDeps {
  readonly store: StatementStore
  readonly booked: BookedSums
  readonly clock: Clock
  /** Whether deposits come from chains on the gateway's own machine. */
  readonly hasLocalChains: boolean
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * How long sums over the books up to so long ago are believed, in milliseconds: a process that could not reach its
 * database books late, and what one books a month late is in the statement within a day. All of a history is added up
 * once a day at most. Source: own choice.
 */
const BELIEVED_MS = [
  { agoMs: 31 * DAY_MS, keptMs: DAY_MS },
  { agoMs: SETTLED_MS, keptMs: HOUR_MS },
  { agoMs: HOUR_MS, keptMs: MINUTE_MS },
] as const

/** What a statement calls each kind of transfer. */
export const STATEMENT_KINDS: Readonly<Record<MovingKind, StatementKind>> = {
  deposit: 'deposit',
  grant: 'grant',
  adjustment: 'adjustment',
  capture: 'charge',
}

/**
 * The bounds of a month, and what the account had at its beginning.
 *
 * @throws {ServiceError} `invalid_value` for a month that has not begun, or that was over before the account was made.
 */
export async function openStatement(
  deps: ReadStatementDeps,
  accountId: string,
  month: string,
): Promise<Month & { readonly createdAt: number; readonly before: MovedSums; readonly opening: bigint }> {
  const createdAt = await findCreatedAt(deps, accountId)
  const span = openMonth(month, { createdAt, now: deps.clock.now() })
  const before = await sumsBefore(deps, accountId, span.from)
  return { ...span, createdAt, before, opening: totalOf(before) }
}

/** What moved an account's balance in a month, by kind, type and model: from the rows themselves, kept nowhere. */
export function sumMonth(
  { store }: Pick<ReadStatementDeps, 'store'>,
  accountId: string,
  { from, to }: Month,
): Promise<readonly ModelSum[]> {
  return store.sumModels({ accountId, start: beginningOf(from), end: beginningOf(to) })
}

/** @throws {ServiceError} `invalid_value` as above. */
export async function readStatement(
  deps: ReadStatementDeps,
  accountId: string,
  month: string,
): Promise<Printed<TeamStatement>> {
  const { createdAt, before, opening, ...span } = await openStatement(deps, accountId, month)
  const now = deps.clock.now()
  const sums = subtractSums(await sumsBefore(deps, accountId, span.to), before)
  return {
    month,
    first_month: monthText(createdAt),
    account_id: accountId,
    from: secondsOf(span.from),
    to: secondsOf(span.to),
    as_of: secondsOf(Math.min(now, span.to)),
    is_over: now >= span.to + SETTLED_MS,
    opening_credits: credits(opening),
    sums: Object.entries(STATEMENT_KINDS).map(([kind, name]) => {
      const { entries, amount } = sums.get(kind as MovingKind) ?? { entries: 0, amount: 0n }
      return { kind: name, entries, credits: credits(amount) }
    }),
    closing_credits: credits(opening + totalOf(sums)),
  }
}

/**
 * One page of what moved the balance in a month, oldest first, each with the balance after it.
 *
 * @throws {ServiceError} `invalid_value` as above, or when `after` is no entry of the month.
 */
export async function listStatement(
  deps: ReadStatementDeps,
  accountId: string,
  { month, after, limit }: TeamStatementEntriesQuery,
): Promise<Printed<TeamStatementEntries>> {
  const { opening: first, ...span } = await openStatement(deps, accountId, month)
  const start = after === undefined ? beginningOf(span.from) : await placeBehind(deps, accountId, { span, after })
  const opening = after === undefined ? first : await balanceBefore(deps, accountId, start)
  const rows = await deps.store.list({ accountId, start, end: beginningOf(span.to) }, limit + 1)
  let balance = opening
  const data = rows.slice(0, limit).map((row) => {
    balance += row.amount
    return renderEntry(row, balance)
  })
  return {
    data,
    opening_credits: credits(opening),
    last_id: data.at(-1)?.id ?? null,
    has_more: rows.length > limit,
  }
}

function renderEntry(row: StatementRow, balance: bigint): Printed<TeamStatementEntry> {
  const { deposit } = row
  return {
    id: row.transferId,
    at: secondsOf(row.bookedAt),
    kind: STATEMENT_KINDS[row.kind],
    credits: credits(row.amount),
    balance_credits: credits(balance),
    model: row.model,
    type: row.type,
    key_name: row.keyName,
    deposit:
      deposit === null
        ? null
        : {
            id: `dep_${row.transferId}`,
            asset: deposit.asset,
            amount: formatAmount(BigInt(deposit.rawAmount), deposit.asset),
            chainId: deposit.chainId,
            txHash: deposit.txHash,
          },
    // The ledger's reason for a deposit only repeats the fields beside it.
    reason: row.kind === 'grant' || row.kind === 'adjustment' ? row.reason : null,
  }
}

async function findCreatedAt({ store }: ReadStatementDeps, accountId: string): Promise<number> {
  const createdAt = await store.findCreatedAt(accountId)
  if (createdAt === null) throw new InvariantError(`there is no account ${accountId}`)
  return createdAt
}

/** What had moved the balance before a time: kept from before as far as that is believed, the rest from the books. */
async function sumsBefore(
  { store, booked, clock }: ReadStatementDeps,
  accountId: string,
  at: number,
): Promise<MovedSums> {
  const sumFrom = (from: number, to: number): Promise<MovedSums> =>
    store.sum({ accountId, start: beginningOf(from), end: beginningOf(to) })
  const now = clock.now()
  let known = booked.upTo(accountId, at, now)
  for (const { agoMs, keptMs } of BELIEVED_MS) {
    const upTo = Math.min(at, Math.floor((now - agoMs) / HOUR_MS) * HOUR_MS)
    if (upTo <= known.at) continue
    const sums = addSums(known.sums, await sumFrom(known.at, upTo))
    // What it is made of is believed no longer than before.
    known = { at: upTo, sums, since: now, until: Math.min(known.until, now + keptMs) }
    booked.keep(accountId, known)
  }
  return known.at === at ? known.sums : addSums(known.sums, await sumFrom(known.at, at))
}

/** The balance just before a place in the books. */
async function balanceBefore(deps: ReadStatementDeps, accountId: string, place: BookingPlace): Promise<bigint> {
  const hour = Math.floor(place.bookedAt / HOUR_MS) * HOUR_MS
  const before = await sumsBefore(deps, accountId, hour)
  return totalOf(before) + totalOf(await deps.store.sum({ accountId, start: beginningOf(hour), end: place }))
}

async function placeBehind(
  { store }: ReadStatementDeps,
  accountId: string,
  { span, after }: { readonly span: Month; readonly after: string },
): Promise<BookingPlace> {
  const place = await store.findPlace(accountId, after)
  if (place !== null && place.bookedAt >= span.from && place.bookedAt < span.to) return behind(place)
  throw new ServiceError('invalid_value', 'The statement of that month has no such entry.', { param: 'after' })
}

function openMonth(month: string, { createdAt, now }: { readonly createdAt: number; readonly now: number }): Month {
  const span = monthSpan(month)
  if (span.from > now || span.to <= createdAt) {
    const message = `There are statements from ${monthText(createdAt)} to ${monthText(now)}.`
    throw new ServiceError('invalid_value', message, { param: 'month' })
  }
  return span
}

function secondsOf(at: number): number {
  return Math.floor(at / 1_000)
}

function credits(amount: bigint) {
  return creditsJson(nanocreditsOf(amount))
}
