/** What a gateway earned and lost in a span of time: by day, upstream, model, account and error. For operators. */
import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { idsOf } from './usage-steps.ts'

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

/** Rows of each list at most; a year has 366 days. */
const ROWS_MAX = { days: 400, others: 20 } as const

const DAY_MS = 86_400_000

interface SumRow {
  readonly name: string | number | bigint | null
  readonly [column: string]: number | bigint | string | null
}

/**
 * Reads it. One pass over the records of the span for each list: for commands, which run in a process of their own.
 *
 * @param span milliseconds since the epoch, of when requests began: `from` is in, `to` is out.
 */
export async function readOverview(
  database: Pick<Database, 'read' | 'engine'>,
  span: { readonly from: number; readonly to: number },
): Promise<Overview> {
  const read = async (name: RawBuilder<unknown>, order: RawBuilder<unknown>, most: number): Promise<OverviewRow[]> => {
    const ids = idsOf(span, null)
    const { rows } = await sql<SumRow>`
      select ${name} as name, count(*) as requests, ${failures} as failed, ${amounts(database)}
        from usage_record
       where usage_id >= ${ids.from} and usage_id < ${ids.below} and started_at >= ${span.from} and started_at < ${span.to}
       group by 1 order by ${order} limit ${most}`.execute(database.read)
    return rows.map(rowFrom)
  }
  const byCharge = sql`sum(charge) desc, 1`
  const [total, days, upstreams, models, accounts, errors] = await Promise.all([
    read(sql`'all'`, sql`1`, 1),
    read(sql`started_at / ${sql.lit(DAY_MS)}`, sql`1`, ROWS_MAX.days),
    read(sql`upstream`, byCharge, ROWS_MAX.others),
    read(sql`model`, byCharge, ROWS_MAX.others),
    read(sql`account_id`, byCharge, ROWS_MAX.others),
    read(sql`error_code`, sql`count(*) desc, 1`, ROWS_MAX.others + 1),
  ])
  const dated = days.map((row) => ({ ...row, name: new Date(Number(row.name) * DAY_MS).toISOString().slice(0, 10) }))
  return {
    total: total[0] ?? rowFrom({ name: 'all' }),
    days: dated,
    ...{ upstreams, models, accounts },
    errors: errors.filter(({ name }) => name !== NONE),
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
    name: row.name === null ? NONE : String(row.name),
    ...{ requests: Number(row['requests'] ?? 0), failed: Number(row['failed'] ?? 0) },
    ...{ charge: sum('charge'), cost: sum('cost'), writeOff: sum('write_off') },
  }
}
