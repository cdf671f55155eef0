/** What a gateway earned and lost in a span of time: by day, upstream, model, account and error. For operators. */
import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { ID_DRIFT_MS, idsOf } from './usage-steps.ts'

/** Amounts are nanocredits. What is left of the charges is `charge - cost`, which may be less than nothing. */
export interface OverviewRow {
  /** A day (`2026-03-31`), an upstream, a model, the id of an account, or a code of an error. */
  readonly name: string
  readonly requests: number
  /** Those that failed, which are free. */
  readonly failed: number
  readonly charge: bigint
  readonly cost: bigint
  /** What upstreams billed and no client pays, or what was due beyond what could be charged. */
  readonly writeOff: bigint
}

export interface Overview {
  readonly total: OverviewRow
  /** UTC days, oldest first; days without a request are left out. */
  readonly days: readonly OverviewRow[]
  /** The largest charges first, as all that follow. */
  readonly upstreams: readonly OverviewRow[]
  readonly models: readonly OverviewRow[]
  readonly accounts: readonly OverviewRow[]
  /** The most frequent first. */
  readonly errors: readonly OverviewRow[]
}

/** Rows of each list at most but that of days. */
const ROWS_MAX = 20

const DAY_MS = 86_400_000

/** The lists beside that of days, by the number that PostgreSQL's `grouping` has for each. */
const LISTS = { upstream: 7, model: 11, account_id: 13, error_code: 14 } as const
type ListName = keyof typeof LISTS
const EVERYTHING = 15

interface SumRow {
  readonly list: number
  readonly name: string | null
  readonly [column: string]: number | bigint | string | null
}

type Read = Pick<Database, 'read' | 'engine'>

/** Milliseconds since the epoch: `from` is in, `to` is out. */
interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Reads it day by day, so that no statement reads more than a day, however long the span and the history are. For
 * commands, which run in a process of their own, and for threads.
 *
 * @param span of when requests began.
 * @param signal gives up between two days.
 */
export async function readOverview(database: Read, span: Span, signal?: AbortSignal): Promise<Overview> {
  const days: OverviewRow[] = []
  const lists = new Map<number, Map<string, OverviewRow>>()
  for (const day of daysOf(await narrow(database, span))) {
    signal?.throwIfAborted()
    for (const row of await readDay(database, day)) {
      const sums = rowFrom(row)
      const list = lists.get(row.list) ?? new Map<string, OverviewRow>()
      const known = list.get(sums.name)
      if (row.list !== EVERYTHING)
        lists.set(row.list, list.set(sums.name, known === undefined ? sums : addRows(known, sums)))
      else if (sums.requests > 0) days.push({ ...sums, name: new Date(day.from).toISOString().slice(0, 10) })
    }
  }
  const total = days.reduce(addRows, rowFrom({ list: EVERYTHING, name: 'all' }))
  const first = (name: ListName, order: (row: OverviewRow) => bigint): readonly OverviewRow[] => {
    const rows = [...(lists.get(LISTS[name])?.values() ?? [])]
    return rows.toSorted((one, other) => compare(order(other), order(one)) || compare(one.name, other.name))
  }
  const byCharge = (name: ListName) => first(name, ({ charge }) => charge).slice(0, ROWS_MAX)
  const errors = first('error_code', ({ requests }) => BigInt(requests)).filter(({ name }) => name !== NONE)
  return {
    ...{ total, days, errors: errors.slice(0, ROWS_MAX) },
    ...{ upstreams: byCharge('upstream'), models: byCharge('model'), accounts: byCharge('account_id') },
  }
}

function compare<Value extends bigint | string>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** The part of a span from its first record to its last. */
async function narrow({ read }: Read, { from, to }: Span): Promise<Span> {
  const ids = idsOf({ from, to }, null)
  const records = read.selectFrom('usage_record').select('started_at')
  const within = records.where('usage_id', '>=', ids.from).where('usage_id', '<', ids.below).limit(1)
  const first = await within.orderBy('usage_id').executeTakeFirst()
  const last = await within.orderBy('usage_id', 'desc').executeTakeFirst()
  if (first === undefined || last === undefined) return { from, to: from }
  return {
    from: Math.max(from, first.started_at - ID_DRIFT_MS),
    to: Math.min(to, last.started_at + ID_DRIFT_MS),
  }
}

/** The UTC days of a span, the first and the last as far as they are in it. */
function* daysOf({ from, to }: Span): Generator<Span> {
  for (let start = from; start < to;) {
    const end = Math.min((Math.floor(start / DAY_MS) + 1) * DAY_MS, to)
    yield { from: start, to: end }
    start = end
  }
}

/** PostgreSQL makes all lists in one pass, SQLite in one for each. */
async function readDay(database: Read, { from, to }: Span): Promise<readonly SumRow[]> {
  const ids = idsOf({ from, to }, null)
  const names = Object.keys(LISTS) as ListName[]
  const sums = sql`count(*) as requests, ${failures} as failed, ${amounts(database)}`
  const records = sql`from usage_record where usage_id >= ${ids.from} and usage_id < ${ids.below}
    and started_at >= ${from} and started_at < ${to}`
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const sets = sql.join([sql`()`, ...names.map((name) => sql`(${sql.ref(name)})`)])
  const lists = names.map(
    (name) => sql`select ${sql.lit(LISTS[name])}, ${sql.ref(name)}, ${sums} ${records} group by 2`,
  )
  const everything = sql`select ${sql.lit(EVERYTHING)} as list, null as name, ${sums} ${records}`
  const query =
    database.engine === 'postgres'
      ? sql<SumRow>`select grouping(${columns}) as list, coalesce(${columns}) as name, ${sums} ${records}
          group by grouping sets (${sets})`
      : sql<SumRow>`${sql.join([everything, ...lists], sql` union all `)}`
  return (await query.execute(database.read)).rows
}

function addRows(one: OverviewRow, other: OverviewRow): OverviewRow {
  return {
    name: one.name,
    ...{ requests: one.requests + other.requests, failed: one.failed + other.failed },
    ...{ charge: one.charge + other.charge, cost: one.cost + other.cost, writeOff: one.writeOff + other.writeOff },
  }
}

/** What has no name: a request that no upstream served, or without an error. */
const NONE = 'none'

const failures = sql`sum(case when status = 'error' then 1 else 0 end)`

/** Sums that cannot overflow: SQLite adds the high and the low halves apart, PostgreSQL has exact decimals. */
function amounts({ engine }: Pick<Database, 'engine'>): RawBuilder<unknown> {
  return sql.join(
    ['charge', 'cost', 'write_off'].flatMap((column) => {
      const value = sql.ref(column)
      return engine === 'postgres'
        ? [sql`sum(${value}) as ${sql.ref(`${column}_high_amount`)}`]
        : [
            sql`sum(${value} >> 32) as ${sql.ref(`${column}_high_amount`)}`,
            sql`sum(${value} & 4294967295) as ${sql.ref(`${column}_low_amount`)}`,
          ]
    }),
  )
}

function rowFrom(row: SumRow): OverviewRow {
  const integer = (name: string): bigint => BigInt(row[name] ?? 0)
  const sum = (column: string): bigint =>
    row[`${column}_low_amount`] === undefined
      ? integer(`${column}_high_amount`)
      : (integer(`${column}_high_amount`) << 32n) + integer(`${column}_low_amount`)
  return {
    name: row.name ?? NONE,
    ...{ requests: Number(row['requests'] ?? 0), failed: Number(row['failed'] ?? 0) },
    ...{ charge: sum('charge'), cost: sum('cost'), writeOff: sum('write_off') },
  }
}
