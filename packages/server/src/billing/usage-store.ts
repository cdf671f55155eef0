import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import type { Database } from '../db/database.ts'
import type { HoldTable, Schema, UsageRecordTable } from '../db/schema.ts'
import type { UsageSpan } from './usage-span.ts'

/** The job that a request has submitted; null for requests that submit none. */
interface JobOfUsage {
  readonly job_id: string | null
}

export type UsageRow = UsageRecordTable & JobOfUsage
export type OpenHoldRow = Pick<HoldTable, 'hold_id' | 'type' | 'model' | 'stream' | 'amount' | 'placed_at'> & JobOfUsage

/** What a list of usage is narrowed to. Absent parts do not narrow. */
export interface UsageFilter {
  readonly keyId: string
  readonly type?: string
  readonly model?: string
}

export interface UsageTotals {
  readonly requests: number
  readonly charge: bigint
  readonly promptTokens: number
  readonly completionTokens: number
}

export interface UsageStore {
  /** Newest first, from the record after `after`. */
  list(
    filter: UsageFilter,
    span: UsageSpan,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly UsageRow[]>
  /** Totals of single records that began within the span. Meant for parts of a day. */
  sumRecords(filter: UsageFilter, span: UsageSpan): Promise<UsageTotals>
  /** Totals of whole days, from the roll-ups: `firstDay` is in, `endDay` is out; null leaves a side open. */
  sumDays(filter: UsageFilter, firstDay: number | null, endDay: number | null): Promise<UsageTotals>
  find(keyId: string, usageId: string): Promise<UsageRow | null>
  findOpenHold(keyId: string, holdId: string): Promise<OpenHoldRow | null>
}

/**
 * How far the time in a record's id may lie from the request's start, in milliseconds. It lies before it by the time
 * that the body took to arrive, and after it when the clock was set back and ids went on from the later time.
 */
const ID_DRIFT_MS = 3_600_000

/** Makes the store that reads usage records, their roll-ups and open holds. The ledger writes all of them. */
export function createUsageStore({ read }: Database): UsageStore {
  const totals = <Table extends 'usage_record' | 'usage_daily'>(table: Table) => ({
    charge: sql<bigint>`coalesce(sum(${sql.ref(`${table}.charge`)}), 0)`.as('total_charge'),
    prompt: sql<number>`coalesce(sum(${sql.ref(`${table}.prompt_tokens`)}), 0)`.as('promptTokens'),
    completion: sql<number>`coalesce(sum(${sql.ref(`${table}.completion_tokens`)}), 0)`.as('completionTokens'),
  })
  return {
    list(filter, span, { after, limit }) {
      let query = read
        .selectFrom('usage_record')
        .selectAll('usage_record')
        .select(jobOf('usage_record.usage_id'))
        .where((where) => recordsIn(where, filter, span))
        .orderBy('usage_id', 'desc')
        .limit(limit)
      if (after !== null) query = query.where('usage_id', '<', after)
      return query.execute()
    },
    async sumRecords(filter, span) {
      const { charge, prompt, completion } = totals('usage_record')
      const row = await read
        .selectFrom('usage_record')
        .select(({ fn }) => [fn.countAll<number>().as('requests'), charge, prompt, completion])
        .where((where) => recordsIn(where, filter, span))
        .executeTakeFirstOrThrow()
      return totalsOf(row)
    },
    async sumDays({ keyId, type, model }, firstDay, endDay) {
      const { charge, prompt, completion } = totals('usage_daily')
      let query = read
        .selectFrom('usage_daily')
        .select([sql<number>`coalesce(sum(requests), 0)`.as('requests'), charge, prompt, completion])
        .where('key_id', '=', keyId)
      if (firstDay !== null) query = query.where('day', '>=', firstDay)
      if (endDay !== null) query = query.where('day', '<', endDay)
      if (type !== undefined) query = query.where('type', '=', type)
      if (model !== undefined) query = query.where('model', '=', model)
      return totalsOf(await query.executeTakeFirstOrThrow())
    },
    async find(keyId, usageId) {
      const query = read
        .selectFrom('usage_record')
        .selectAll('usage_record')
        .select(jobOf('usage_record.usage_id'))
        .where('usage_id', '=', usageId)
        .where('key_id', '=', keyId)
      return (await query.executeTakeFirst()) ?? null
    },
    async findOpenHold(keyId, holdId) {
      const query = read
        .selectFrom('hold')
        .select(['hold_id', 'type', 'model', 'stream', 'amount', 'placed_at', jobOf('hold.hold_id')])
        .where('hold_id', '=', holdId)
        .where('key_id', '=', keyId)
        .where('state', '=', 'held')
      return (await query.executeTakeFirst()) ?? null
    },
  }
}

/** Looked up by the unique hold of a job. */
function jobOf(holdId: 'usage_record.usage_id' | 'hold.hold_id') {
  return sql<string | null>`(select j.job_id from video_job j where j.hold_id = ${sql.ref(holdId)})`.as('job_id')
}

/** Bounds on the id beside those on the start, because the index is in the order of ids. */
function recordsIn(
  where: ExpressionBuilder<Schema, 'usage_record'>,
  { keyId, type, model }: UsageFilter,
  { from, to }: UsageSpan,
): Expression<SqlBool> {
  const conditions = [where('key_id', '=', keyId)]
  if (from !== null) {
    conditions.push(where('started_at', '>=', from), where('usage_id', '>=', idFloor(from - ID_DRIFT_MS)))
  }
  if (to !== null) conditions.push(where('started_at', '<', to), where('usage_id', '<', idFloor(to + ID_DRIFT_MS)))
  if (type !== undefined) conditions.push(where('type', '=', type))
  if (model !== undefined) conditions.push(where('model', '=', model))
  return where.and(conditions)
}

/** The least UUIDv7 text of a millisecond. */
function idFloor(ms: number): string {
  const time = Math.min(Math.max(ms, 0), 0xffff_ffff_ffff).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-0000-000000000000`
}

function totalsOf(row: {
  readonly requests: number
  readonly total_charge: bigint
  readonly promptTokens: number
  readonly completionTokens: number
}): UsageTotals {
  const { total_charge: charge, requests, promptTokens, completionTokens } = row
  return { requests, charge, promptTokens, completionTokens }
}
