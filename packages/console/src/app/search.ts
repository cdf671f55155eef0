/** What the addresses of pages hold after their question mark. What is not understood is dropped. */
import {
  promptTrainings,
  type UsageGrouping,
  usageGroupings,
  type UsageStatus,
  usageStatuses,
  usageTypes,
  type UsageType,
} from '@svc/contract'

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

/** Leaves out what is not set, so that addresses stay short. */
function only<T extends object>(search: T): Partial<T> {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as Partial<T>
}

export const USAGE_SPANS = [1, 7, 30, 90, 365] as const

/** What a chart of usage shows by day. */
export const usageMeasures = ['credits', 'requests', 'tokens', 'latency', 'first', 'speed', 'errors'] as const
export type UsageMeasure = (typeof usageMeasures)[number]

export interface UsageSearch {
  /** Days up to today. */
  readonly days?: (typeof USAGE_SPANS)[number]
  /** The first and the last day, such as 2026-01-31; these go before `days`. */
  readonly from?: string
  readonly to?: string
  /** Whose days they are; UTC when absent. */
  readonly zone?: string
  /** What the chart is divided by; models when absent. */
  readonly by?: UsageGrouping
  readonly model?: string
  readonly type?: UsageType
  readonly status?: UsageStatus
  readonly key?: string
  readonly after?: string
  readonly view?: 'table'
  /** Credits when absent. */
  readonly show?: UsageMeasure
}

/** Such as 2026-01-31. */
function dayOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && /^20\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
}

function zoneOf(value: unknown): string | undefined {
  const name = textOf(value)
  try {
    return name === undefined || name === 'UTC'
      ? undefined
      : new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

export function readUsageSearch(search: Readonly<Record<string, unknown>>): UsageSearch {
  return only<UsageSearch>({
    days: USAGE_SPANS.find((days) => days === Number(search['days'])),
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    zone: zoneOf(search['zone']),
    by: usageGroupings.find((by) => by === search['by']),
    model: textOf(search['model']),
    type: usageTypes.find((type) => type === search['type']),
    status: usageStatuses.find((status) => status === search['status']),
    key: textOf(search['key']),
    after: textOf(search['after']),
    view: search['view'] === 'table' ? 'table' : undefined,
    show: usageMeasures.find((show) => show === search['show'] && show !== 'credits'),
  } as UsageSearch)
}

export interface KeysSearch {
  readonly after?: string
  /** Whether the dialog that makes a key is open. */
  readonly make?: true
  /** Whether the keys that have ended are shown, instead of those in use. */
  readonly ended?: true
  /** Whether the keys of the playground are shown, instead of those of programs. */
  readonly played?: true
}

export function readKeysSearch(search: Readonly<Record<string, unknown>>): KeysSearch {
  return only<KeysSearch>({
    after: textOf(search['after']),
    make: search['make'] === true ? true : undefined,
    ended: search['ended'] === true ? true : undefined,
    played: search['played'] === true ? true : undefined,
  } as KeysSearch)
}

export interface KeySearch {
  /** Whether the person is asked at once whether the key shall be revoked. */
  readonly revoke?: true
}

export function readKeySearch(search: Readonly<Record<string, unknown>>): KeySearch {
  return search['revoke'] === true ? { revoke: true } : {}
}

export const playgroundTabs = ['chat', 'image', 'video', 'audio'] as const
export type PlaygroundTab = (typeof playgroundTabs)[number]

export interface PlaygroundSearch {
  readonly tab?: PlaygroundTab
  /** Picked once, when the page opens. */
  readonly model?: string
}

export function readPlaygroundSearch(search: Readonly<Record<string, unknown>>): PlaygroundSearch {
  const tab = playgroundTabs.find((each) => each === search['tab'])
  return only<PlaygroundSearch>({ tab, model: textOf(search['model']) } as PlaygroundSearch)
}

/** Whether prompts may be trained on, and `unknown` where the operator does not say. */
export const trainingFilters = [...promptTrainings, 'unknown'] as const

/** More than any list of models has; a larger number is none that a page has written. */
const ROWS_MAX = 100_000

/** How many rows of a long list the person has asked for. */
export function readRows(value: unknown): number | undefined {
  const rows = Number(value)
  return Number.isSafeInteger(rows) && rows > 0 && rows <= ROWS_MAX ? rows : undefined
}

export const modelSorts = ['name', 'input', 'output', 'context', 'newest', 'speed', 'first', 'success'] as const
export type ModelSort = (typeof modelSorts)[number]

/** The shortest context that is looked for, in tokens. */
export const CONTEXTS = [8_000, 32_000, 128_000, 200_000, 1_000_000] as const

/** The most that a million output tokens, or a unit of media, may cost, in credits. */
export const PRICES = ['100', '500', '1000', '5000', '10000', '50000'] as const

export interface ModelsSearch {
  readonly q?: string
  readonly type?: string
  readonly provider?: string
  /** A kind of content. */
  readonly takes?: string
  readonly gives?: string
  readonly context?: number
  /** A parameter that the model supports, such as `tools`. */
  readonly parameter?: string
  readonly price?: (typeof PRICES)[number]
  readonly training?: (typeof trainingFilters)[number]
  /** Turned around with a minus in front; featured models first where it is absent. */
  readonly sort?: ModelSort | `-${ModelSort}`
  /** Ids with commas between them. */
  readonly compare?: string
  readonly rows?: number
}

export function readModelsSearch(search: Readonly<Record<string, unknown>>): ModelsSearch {
  const sort = modelSorts.find((each) => each === String(search['sort']).replace(/^-/, ''))
  return only<ModelsSearch>({
    ...Object.fromEntries(
      ['q', 'type', 'provider', 'takes', 'gives', 'parameter', 'compare'].map((name) => [name, textOf(search[name])]),
    ),
    context: CONTEXTS.find((tokens) => tokens === Number(search['context'])),
    price: PRICES.find((price) => price === String(search['price'])),
    training: trainingFilters.find((each) => each === search['training']),
    sort: sort === undefined || !String(search['sort']).startsWith('-') ? sort : `-${sort}`,
    rows: readRows(search['rows']),
  } as ModelsSearch)
}

const WORK = [
  'requests',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'images',
  'size',
  'quality',
  'resolution',
  'seconds',
  'characters',
]

/** A month's use, as the person typed it. */
export function readWorkSearch(search: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const read = WORK.map((name) => [name, textOf(search[name]) ?? (search[name] === '' ? '' : undefined)] as const)
  return Object.fromEntries(read.filter((entry): entry is readonly [string, string] => entry[1] !== undefined))
}

const DEPOSIT_ASSETS = ['USDG', 'ETH'] as const
const DEPOSIT_CHAINS = [4663, 46630] as const

export interface FundSearch {
  readonly asset?: (typeof DEPOSIT_ASSETS)[number]
  readonly chain?: (typeof DEPOSIT_CHAINS)[number]
  /** The transaction that is followed. */
  readonly tx?: string
  readonly after?: string
}

export function readFundSearch(search: Readonly<Record<string, unknown>>): FundSearch {
  return only<FundSearch>({
    asset: DEPOSIT_ASSETS.find((asset) => asset === search['asset']),
    chain: DEPOSIT_CHAINS.find((chain) => chain === Number(search['chain'])),
    tx: textOf(search['tx']),
    after: textOf(search['after']),
  } as FundSearch)
}

export interface StatementSearch {
  /** Such as 2026-01; the present one where it is absent. */
  readonly month?: string
  readonly after?: string
}

export function readStatementSearch(search: Readonly<Record<string, unknown>>): StatementSearch {
  return only<StatementSearch>({
    month: textOf(search['month']),
    after: textOf(search['after']),
  } as StatementSearch)
}

export interface NextSearch {
  /** Where a person goes after signing in. */
  readonly next?: string
}

export function readNextSearch(search: Readonly<Record<string, unknown>>): NextSearch {
  return typeof search['next'] === 'string' ? { next: search['next'] } : {}
}
