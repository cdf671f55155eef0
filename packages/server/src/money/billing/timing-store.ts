import { setImmediate as letOthersRun } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { inScope, type UsageScope } from './usage-scope.ts'
import type { TimingMeasure } from './timing-buckets.ts'

const HOUR_MS = 3_600_000
/** How long rows of all keys together are kept: longer than what pages show of them. Source: own choice. */
const KEPT_HOURS = 400 * 24
/**
 * How long rows of a key are kept: a quarter. Where keys ask rarely each request has five rows of its own, which take
 * more room than all the rest of it. Source: decision 0174.
 */
export const KEY_TIMINGS_KEPT_HOURS = 95 * 24
/** Rows of one answer at most; a page that would need more is narrowed. Source: own choice. */
const ROWS_MAX = 100_000

/** The key of what all keys did together. */
export const EVERY_KEY = ''

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
  /** Adds them in one statement: a thousand at a time are what every engine takes. */
  add(cells: readonly TimingCell[]): Promise<void>
  /** Sums of the whole gateway by model. */
  sumModels(span: TimingSpan): Promise<readonly TimingSum[]>
  /** Sums of the keys of a scope. */
  sumKeys(scope: UsageScope, span: TimingSpan, by: 'model' | 'key', model?: string): Promise<readonly TimingSum[]>
  /** Removes what is older than is kept, in short pieces. */
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
      if (cells.length === 0) return
      // In one order everywhere: several processes add to the same rows, which stay locked to the end.
      const ordered = cells.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
      // One statement: keys that ask rarely have five rows a request, and as many statements cost more than its charge.
      const insert = read
        .insertInto('request_timing')
        .values(ordered.map(({ keyId, ...cell }) => ({ key_id: keyId, ...cell })))
        .onConflict((conflict) =>
          conflict
            .columns(['key_id', 'hour', 'model', 'measure', 'bucket'])
            .doUpdateSet({ requests: sql`request_timing.requests + excluded.requests` }),
        )
      await database.write([insert.compile()])
    },
    async sumModels(span) {
      const rows = await sum(span, 'model').where('key_id', '=', EVERY_KEY).execute()
      return rows.map(sumFrom)
    },
    async sumKeys(scope, span, by, model) {
      const query = sum(span, by === 'key' ? 'key_id' : 'model').where(inScope('request_timing', scope))
      const rows = await (model === undefined ? query : query.where('model', '=', model)).execute()
      return rows.map(sumFrom)
    },
    async tidy(now) {
      const hour = Math.floor(now / HOUR_MS)
      await removeHours(database, { from: await oldestHour(database), until: hour - KEPT_HOURS, ofKeys: false })
      const from = await oldestHourOfKeys(database)
      await removeHours(database, { from, until: hour - KEY_TIMINGS_KEPT_HOURS, ofKeys: true })
    },
  }
}

/** Null where there is no row. */
async function oldestHour({ read }: Database): Promise<number | null> {
  const oldest = read.selectFrom('request_timing').select('hour').orderBy('hour').limit(1)
  return (await oldest.executeTakeFirst())?.hour ?? null
}

/** The same of keys: a look into the index for each, since most rows of an hour may be of all keys together. */
async function oldestHourOfKeys({ read }: Database): Promise<number | null> {
  const { rows } = await sql<{ hour: number | null }>`
    with recursive keys (key_id) as (
      select min(key_id) from request_timing where key_id > ${EVERY_KEY}
      union all
      select (select min(t.key_id) from request_timing t where t.key_id > keys.key_id)
        from keys where keys.key_id is not null
    )
    select min((select min(t.hour) from request_timing t where t.key_id = keys.key_id)) as hour from keys`.execute(read)
  return rows[0]?.hour ?? null
}

/** Hour by hour, since a long time may have millions of rows: others run in between. */
async function removeHours(
  database: Database,
  { from, until, ofKeys }: { readonly from: number | null; readonly until: number; readonly ofKeys: boolean },
): Promise<void> {
  for (let hour = from ?? until; hour < until; hour++) {
    const rows = database.read.deleteFrom('request_timing').where('hour', '=', hour)
    await database.write([(ofKeys ? rows.where('key_id', '<>', EVERY_KEY) : rows).compile()])
    await letOthersRun()
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
