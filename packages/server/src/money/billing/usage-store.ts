import type { DaySegment } from '@svc/contract'
import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { HoldTable } from '../../platform/db/hold-schema.ts'
import type { UsageRecordTable } from '../../platform/db/schema.ts'
import { archivedHint } from '../ledger/read-archive.ts'
import { findMovement, type Movement } from './movement-store.ts'
import { recordsIn, type UsageFilter } from './usage-filter.ts'
import { inScope, type UsageScope } from './usage-scope.ts'
import type { UsageSpan } from './usage-span.ts'
import { DAY_ROWS, daysOf, daySteps, idsOf, RECORD_STEPS, recordSteps } from './usage-steps.ts'
import {
  joinDays,
  listDaysOf,
  listRecordDays,
  sumDaysOf,
  sumRecordsOf,
  type UsageDay,
  type UsageDays,
} from './usage-sums-store.ts'
import { addTotals, NO_USAGE, type UsageTotals } from './usage-totals.ts'

/** The job that a request has submitted; null for requests that submit none. */
interface JobOfUsage {
  readonly job_id: string | null
}

/** What people call the key that has made the request. */
interface KeyOfUsage {
  readonly key_id: string
  readonly key_name: string
}

export type UsageRow = UsageRecordTable & JobOfUsage & KeyOfUsage
export type OpenHoldRow = Pick<HoldTable, 'hold_id' | 'type' | 'model' | 'stream' | 'amount' | 'placed_at'> &
  JobOfUsage &
  KeyOfUsage

export interface UsageStore {
  /** What is added where a request is not found: that it may be archived; '' for one that cannot be. */
  archivedHint(requestId: string): Promise<string>
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
  /** Totals of each day and group that has any, from the roll-ups, oldest first. Both days are in. */
  listDays(filter: UsageFilter, days: UsageDays): Promise<readonly UsageDay[]>
  /** The same of the days of a time zone, from single records. */
  listLocalDays(filter: UsageFilter, segments: readonly DaySegment[], by: UsageDays['by']): Promise<readonly UsageDay[]>
  /** What people call these keys. */
  nameKeys(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  find(scope: UsageScope, usageId: string): Promise<UsageRow | null>
  findOpenHold(scope: UsageScope, holdId: string): Promise<OpenHoldRow | null>
  /** The hold of a request, open or ended, and its transfer where it has one. */
  findMovement(scope: UsageScope, holdId: string): Promise<Movement | null>
}

const DAY_MS = 86_400_000

/**
 * Makes the store that reads usage records, their roll-ups and open holds. The ledger writes all of them.
 *
 * @param atOnce rows that are looked at at once, null for all of them; absent for as many as suit the engine.
 */
export function createUsageStore(database: Database, atOnce?: number | null): UsageStore {
  const { read, engine } = database
  const rows = atOnce === undefined ? DAY_ROWS[engine] : atOnce
  const steps = atOnce === undefined ? RECORD_STEPS[engine] : { rows: atOnce, most: atOnce ?? 0 }
  const sumDays: UsageStore['sumDays'] = async (filter, firstDay, endDay) => {
    let totals = NO_USAGE
    for await (const days of daySteps(database, filter.scope, { days: daysOf(firstDay, endDay), rows })) {
      totals = addTotals(totals, await sumDaysOf(read, filter, days))
    }
    return totals
  }
  /** The roll-ups know it without a look at the records. */
  const isEmpty = async (filter: UsageFilter, { from, to }: UsageSpan): Promise<boolean> => {
    if (filter.type === undefined && filter.model === undefined) return false
    const first = from === null ? null : Math.floor(from / DAY_MS)
    const end = to === null ? null : Math.floor(to / DAY_MS) + 1
    return (await sumDays(filter, first, end)).requests === 0
  }
  return {
    archivedHint: (requestId) => archivedHint(read, requestId),
    async list(filter, span, { after, limit }) {
      const found: UsageRow[] = []
      if (await isEmpty(filter, span)) return found
      for await (const ids of recordSteps(database, filter, { ids: idsOf(span, after), ...steps })) {
        const part = await read
          .selectFrom('usage_record')
          .selectAll('usage_record')
          .select([jobOf('usage_record.usage_id'), keyNameOf('usage_record.key_id')])
          .where((where) => recordsIn(where, filter, { span, ids }))
          .orderBy('usage_id', 'desc')
          .limit(limit - found.length)
          .execute()
        found.push(...part)
        if (found.length >= limit) break
      }
      return found
    },
    async sumRecords(filter, span) {
      let totals = NO_USAGE
      if (await isEmpty(filter, span)) return totals
      for await (const ids of recordSteps(database, filter, { ids: idsOf(span, null), ...steps })) {
        totals = addTotals(totals, await sumRecordsOf(read, filter, { span, ids }))
      }
      return totals
    },
    sumDays,
    async listDays(filter, { first, last, by }) {
      const found: UsageDay[] = []
      for await (const days of daySteps(database, filter.scope, { days: { first, end: last + 1 }, rows })) {
        found.push(...(await listDaysOf(read, filter, { days, by })))
      }
      return found
    },
    async listLocalDays(filter, segments, by) {
      const days: UsageDay[] = []
      for (const segment of segments) {
        const span = { from: segment.from, to: segment.to }
        for await (const ids of recordSteps(database, filter, { ids: idsOf(span, null), ...steps })) {
          days.push(...(await listRecordDays(read, filter, { span, ids, offsetMs: segment.offsetMs, by })))
        }
      }
      return joinDays(days)
    },
    async nameKeys(ids) {
      const named = new Map<string, string>()
      for (let start = 0; start < ids.length; start += NAMES_MAX) {
        const part = ids.slice(start, start + NAMES_MAX)
        const found = await read.selectFrom('api_key').select(['key_id', 'name']).where('key_id', 'in', part).execute()
        for (const { key_id: id, name } of found) named.set(id, name)
      }
      return named
    },
    async find(scope, usageId) {
      const query = read
        .selectFrom('usage_record')
        .selectAll('usage_record')
        .select([jobOf('usage_record.usage_id'), keyNameOf('usage_record.key_id')])
        .where('usage_id', '=', usageId)
        .where(inScope('usage_record', scope))
      return (await query.executeTakeFirst()) ?? null
    },
    async findOpenHold(scope, holdId) {
      const query = read
        .selectFrom('hold')
        .select(['hold_id', 'type', 'model', 'stream', 'amount', 'placed_at', 'key_id'])
        .select([jobOf('hold.hold_id'), keyNameOf('hold.key_id')])
        .where('hold_id', '=', holdId)
        .where(inScope('hold', scope))
        .where('state', '=', 'held')
      return (await query.executeTakeFirst()) ?? null
    },
    findMovement: (scope, holdId) => findMovement(read, scope, holdId),
  }
}

/** Ids in one question at most. */
const NAMES_MAX = 500

/** Looked up by the unique hold of a job. */
function jobOf(holdId: 'usage_record.usage_id' | 'hold.hold_id') {
  return sql<string | null>`(select j.job_id from video_job j where j.hold_id = ${sql.ref(holdId)})`.as('job_id')
}

function keyNameOf(keyId: 'usage_record.key_id' | 'hold.key_id') {
  return sql<string>`(select k.name from api_key k where k.key_id = ${sql.ref(keyId)})`.as('key_name')
}
