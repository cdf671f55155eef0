/** What the addresses of the operator's pages hold after their question mark. What is not understood is dropped. */
import { type AccountState, accountStates, depositStates, journalActions, priceWarnings } from '@svc/contract'
import { readRows } from './search.ts'

type Search = Readonly<Record<string, unknown>>

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Leaves out what is not set, so that addresses stay short. */
function only<T extends object>(search: { readonly [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T
}

export interface AccountsSearch {
  readonly q?: string
  readonly state?: AccountState
  readonly after?: string
}

export const readAccountsSearch = ({ q, state, after }: Search): AccountsSearch =>
  only<AccountsSearch>({
    q: textOf(q),
    state: accountStates.find((each) => each === state),
    after: textOf(after),
  } as Required<AccountsSearch>)

export interface DepositsSearch {
  readonly state?: (typeof depositStates)[number] | 'all'
  readonly account?: string
  readonly after?: string
}

export const readDepositsSearch = ({ state, account, after }: Search): DepositsSearch =>
  only<DepositsSearch>({
    state: state === 'all' ? 'all' : depositStates.find((each) => each === state),
    account: textOf(account),
    after: textOf(after),
  } as Required<DepositsSearch>)

export interface JournalSearch {
  readonly action?: (typeof journalActions)[number]
  readonly account?: string
  readonly after?: string
}

export const readJournalSearch = ({ action, account, after }: Search): JournalSearch =>
  only<JournalSearch>({
    action: journalActions.find((each) => each === action),
    account: textOf(account),
    after: textOf(after),
  } as Required<JournalSearch>)

export interface PricesSearch {
  readonly q?: string
  readonly show?: 'featured' | 'warnings' | (typeof priceWarnings)[number]
  readonly rows?: number
}

const SHOWN = ['featured', 'warnings', ...priceWarnings] as const

export const readPricesSearch = ({ q, show, rows }: Search): PricesSearch =>
  only<PricesSearch>({
    q: textOf(q),
    show: SHOWN.find((each) => each === show),
    rows: readRows(rows),
  } as Required<PricesSearch>)

export const EARNINGS_SPANS = [7, 30, 90, 365] as const

export interface EarningsSearch {
  /** Days up to today. */
  readonly days?: (typeof EARNINGS_SPANS)[number]
  /** Both ends of a span of its own, such as 2026-03-31; both days are in. */
  readonly from?: string
  readonly to?: string
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

const dayOf = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
}

/** Half of a span is none. */
export function readEarningsSearch({ days, from, to }: Search): EarningsSearch {
  const [first, last] = [dayOf(from), dayOf(to)]
  if (first !== undefined && last !== undefined) return { from: first, to: last }
  return only<EarningsSearch>({
    days: EARNINGS_SPANS.find((each) => each === Number(days)),
  } as Required<EarningsSearch>)
}
