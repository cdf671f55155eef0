import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { inScope, type UsageScope } from './usage-scope.ts'
import type { TimingMeasure } from './timing-buckets.ts'

const HOUR_MS = 3_600_000
/** How long rows are kept: longer than what pages show of them. Source: own choice. */
const KEPT_HOURS = 400 * 24
/** Rows of one answer at most; a page that would need more is narrowed. Source: own choice. */
const ROWS_MAX = 100_000

/** How many requests of an hour are in a bucket of a measure. */
export interface TimingCell {
  /** Empty for all keys together. */
  readonly keyId: string
  /** Hours since the epoch. */
  readonly hour: number
  readonly model: string
  readonly measure: TimingMeasure
  readonly bucket: number
  readonly requests: number
}

/** The same of a longer time and of a group. */
export interface TimingSum {
  /** Hours since the epoch, of the first. */
  readonly slot: number
  /** A model, or the id of a key. */
  readonly group: string
  readonly measure: TimingMeasure
  readonly bucket: number
  readonly requests: number
}

export interface TimingSpan {
  /** Hours since the epoch: `from` is in, `to` is out. */
  readonly from: number
  readonly to: number
  /** Hours of a slot. */
  readonly step: number
}

export interface TimingStore {
  add(cells: readonly TimingCell[]): Promise<void>
  /** Sums of the whole gateway by model. */
  sumModels(span: TimingSpan): Promise<readonly TimingSum[]>
  /** Sums of the keys of a scope. */
  sumKeys(scope: UsageScope, span: TimingSpan, by: 'model' | 'key', model?: string): Promise<readonly TimingSum[]>
  /** Removes what is older than is kept. */
  tidy(now: number): Promise<void>
}

/** Slots begin with the span. As literals: a bound number is no whole number to SQLite. */
function slotOf({ from, step }: TimingSpan) {
  const [first, hours] = [sql.lit(from), sql.lit(step)]
  return sql<number>`${first} + (hour - ${first}) / ${hours} * ${hours}`
}

export function createTimingStore(database: Database): TimingStore {
  const { read } = database
  const sum = (span: TimingSpan, column: 'model' | 'key_id') =>
    read
      .selectFrom('request_timing')
      .select([slotOf(span).as('slot'), `${column} as group`, 'measure', 'bucket'])
      .select(({ fn }) => fn.sum<number>('requests').as('requests'))
      .where('hour', '>=', span.from)
      .where('hour', '<', span.to)
      .groupBy([sql`1`, sql`2`, 'measure', 'bucket'])
      .limit(ROWS_MAX)
  return {
    async add(cells) {
      // In one order everywhere: several processes add to the same rows, which stay locked to the end.
      const ordered = cells.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
      const statements = ordered.map(({ keyId, ...cell }) =>
        read
          .insertInto('request_timing')
          .values({ key_id: keyId, ...cell })
          .onConflict((conflict) =>
            conflict
              .columns(['key_id', 'hour', 'model', 'measure', 'bucket'])
              .doUpdateSet({ requests: sql`request_timing.requests + excluded.requests` }),
          )
          .compile(),
      )
      if (statements.length > 0) await database.write(statements)
    },
    async sumModels(span) {
      const rows = await sum(span, 'model').where('key_id', '=', '').execute()
      return rows.map(sumFrom)
    },
    async sumKeys(scope, span, by, model) {
      const query = sum(span, by === 'key' ? 'key_id' : 'model').where(inScope('request_timing', scope))
      const rows = await (model === undefined ? query : query.where('model', '=', model)).execute()
      return rows.map(sumFrom)
    },
    async tidy(now) {
      const first = Math.floor(now / HOUR_MS) - KEPT_HOURS
      await database.write([read.deleteFrom('request_timing').where('hour', '<', first).compile()])
    },
  }
}

const nameOf = ({ keyId, hour, model, measure, bucket }: TimingCell): string =>
  [keyId, hour, model, measure, bucket].join('\u0000')

/** PostgreSQL adds whole numbers up to decimals, and divides them as whole numbers. */
function sumFrom(row: {
  readonly slot: number
  readonly group: string
  readonly measure: string
  readonly bucket: number
  readonly requests: number | string | bigint
}): TimingSum {
  return { ...row, slot: Number(row.slot), measure: row.measure as TimingMeasure, requests: Number(row.requests) }
}
