/**
 * How a long history is read in steps. Embedded storage is read in the thread that serves requests, so no read may take
 * longer for a longer history: each looks at so many rows of an index, and others run in between. PostgreSQL reads
 * elsewhere.
 */
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { UsageStatus } from '@svc/contract'
import { sql, type Expression, type SqlBool } from 'kysely'
import type { Database, DatabaseEngine } from '../../platform/db/database.ts'
import { leastIdOf } from '../../platform/runtime/ids.ts'
import { isOneKey, type UsageScope } from './usage-scope.ts'
import type { UsageSpan } from './usage-span.ts'

/**
 * Records of the first step; each is four times as large as the one before, up to `most`. SQLite's take some
 * milliseconds on a small machine. On PostgreSQL a page is mostly in the first step, and the largest ends well before
 * the time that a statement is given. Source: own choice.
 */
export const RECORD_STEPS: Readonly<Record<DatabaseEngine, RecordSteps>> = {
  sqlite: { rows: 2_000, most: 2_000 },
  postgres: { rows: 1_000, most: 8_000 },
}
const STEP_GROWTH = 4

/** Roll-ups of one step; null reads all at once. */
export const DAY_ROWS: Readonly<Record<DatabaseEngine, number | null>> = { sqlite: 2_000, postgres: null }

export interface RecordSteps {
  /** Rows of the first step; null reads everything at once. */
  readonly rows: number | null
  /** Rows of any step. */
  readonly most: number
}

/**
 * How far the time in a record's id may lie from the request's start, in milliseconds. It lies before it by the time
 * that the body took to arrive, and after it when the clock was set back and ids went on from the later time.
 */
export const ID_DRIFT_MS = 3_600_000

/** Ids of records: `from` is in, `below` is out. */
export interface IdSpan {
  readonly from: string
  readonly below: string
}

/** Days since the epoch: `first` is in, `end` is out. */
export interface DaySpan {
  readonly first: number
  readonly end: number
}

/** Behind every id, which begin with hexadecimal digits, and behind every day. */
const ID_END = 'g'
const DAY_END = 1_000_000_000

/** The ids that records of a span of time can have. @param after only older records than this one. */
export function idsOf({ from, to }: UsageSpan, after: string | null): IdSpan {
  const below = to === null ? ID_END : leastIdOf(to + ID_DRIFT_MS)
  return {
    from: from === null ? '' : leastIdOf(from - ID_DRIFT_MS),
    below: after !== null && after < below ? after : below,
  }
}

/** Both ends of days, of which null leaves one open. */
export function daysOf(first: number | null, end: number | null): DaySpan {
  return { first: first ?? 0, end: end ?? DAY_END }
}

/** Whose records are read in steps, and of which outcome where it matters. */
interface SteppedRecords {
  readonly scope: UsageScope
  readonly status?: UsageStatus
}

/** Written out as in the index of such records, which is used for nothing else. */
const NOT_OK = sql<SqlBool>`usage_record.status <> 'ok'`

/** What leads to the index of records that did not end well, where one of their outcomes is asked for. */
const notOk = (status: UsageStatus | undefined): readonly Expression<SqlBool>[] =>
  status === undefined || status === 'ok' ? [] : [NOT_OK]

/** Conditions by which records of an outcome are found. */
export function endedAs(status: UsageStatus | undefined): readonly Expression<SqlBool>[] {
  return status === undefined ? [] : [sql<SqlBool>`usage_record.status = ${status}`, ...notOk(status)]
}

/** Parts of the records of a scope, newest first, each of some rows of the index that they are read by. */
export async function* recordSteps(
  { read }: Pick<Database, 'read'>,
  { scope, status }: SteppedRecords,
  { ids, rows, most }: RecordSteps & { readonly ids: IdSpan },
): AsyncGenerator<IdSpan, void, undefined> {
  const indexed = [indexedBy('usage_record', scope), ...notOk(status)]
  let { below } = ids
  for (let step = rows; step !== null; step = Math.min(step * STEP_GROWTH, most)) {
    const nth = await read
      .selectFrom('usage_record')
      .select('usage_id')
      .where((where) => where.and(indexed))
      .where('usage_id', '>=', ids.from)
      .where('usage_id', '<', below)
      .orderBy('usage_id', 'desc')
      .limit(1)
      .offset(step - 1)
      .executeTakeFirst()
    yield { from: nth?.usage_id ?? ids.from, below }
    if (nth === undefined) return
    below = nth.usage_id
    await letOthersRun()
  }
  yield ids
}

/** Parts of the days of a scope, oldest first, each of so many rows of the roll-ups or of one day. */
export async function* daySteps(
  { read }: Pick<Database, 'read'>,
  scope: UsageScope,
  { days, rows }: { readonly days: DaySpan; readonly rows: number | null },
): AsyncGenerator<DaySpan, void, undefined> {
  for (let { first } = days; rows !== null;) {
    const nth = await read
      .selectFrom('usage_daily')
      .select('day')
      .where(indexedBy('usage_daily', scope))
      .where('day', '>=', first)
      .where('day', '<', days.end)
      .orderBy('day')
      .limit(1)
      .offset(rows)
      .executeTakeFirst()
    const end = nth === undefined ? days.end : Math.max(nth.day, first + 1)
    yield { first, end }
    if (end >= days.end) return
    first = end
    await letOthersRun()
  }
  yield days
}

/** What leads the index by which a scope's rows are found in the order of their ids or days. */
function indexedBy(table: 'usage_record' | 'usage_daily', scope: UsageScope): Expression<SqlBool> {
  if ('keyId' in scope) return sql<SqlBool>`${sql.ref(`${table}.key_id`)} = ${scope.keyId}`
  if ('everyAccount' in scope) return sql<SqlBool>`1 = 1`
  if (isOneKey(scope.onlyKey)) return sql<SqlBool>`${sql.ref(`${table}.key_id`)} = ${scope.onlyKey}`
  return sql<SqlBool>`${sql.ref(`${table}.account_id`)} = ${scope.accountId}`
}
