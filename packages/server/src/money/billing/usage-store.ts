import type { DaySegment, UsageStatus } from '@svc/contract'
import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { archivedHint } from '../ledger/read-archive.ts'
import type { HoldExtensionTable, HoldTable } from '../../platform/db/hold-schema.ts'
import type { LedgerEntryView, Schema, TransferTable, UsageRecordTable } from '../../platform/db/schema.ts'
import { inScope, type UsageScope } from './usage-scope.ts'
import type { UsageSpan } from './usage-span.ts'
import { daysOf, daySteps, type DaySpan, idsOf, type IdSpan, recordSteps, STEP_ROWS } from './usage-steps.ts'
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

/** What a list of usage is narrowed to. Absent parts do not narrow. */
export interface UsageFilter {
  readonly scope: UsageScope
  readonly type?: string
  readonly model?: string
  /** Of single records alone: the roll-ups of days do not know it. */
  readonly status?: UsageStatus
}

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

/** How the money of one request moved. */
export interface Movement {
  readonly hold: Pick<HoldTable, 'state' | 'placed_at' | 'ended_at' | 'amount' | 'limit_units'>
  /** Each extension of the hold, in the order in which they came. */
  readonly extensions: readonly Omit<HoldExtensionTable, 'hold_id'>[]
  readonly transfer: Pick<TransferTable, 'transfer_id' | 'kind' | 'created_at'> | null
  readonly entries: readonly Pick<LedgerEntryView, 'account' | 'amount'>[]
}

export interface UsageDays {
  /** Days since the epoch, UTC; both are in. */
  readonly first: number
  readonly last: number
  readonly by: 'model' | 'key' | 'type' | 'person'
}

export interface UsageDay {
  /** Days since the epoch, UTC. */
  readonly day: number
  /** A model, the id of a key or of a person, or a type. */
  readonly part: string
  /** What people call it. */
  readonly name: string
  readonly requests: number
  readonly tokens: number
  readonly charge: bigint
}

const DAY_MS = 86_400_000

/**
 * Makes the store that reads usage records, their roll-ups and open holds. The ledger writes all of them.
 *
 * @param rows rows that are looked at at once; null for all of them.
 */
export function createUsageStore(database: Database, rows: number | null = STEP_ROWS[database.engine]): UsageStore {
  const { read } = database
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
      for await (const ids of recordSteps(database, filter.scope, { ids: idsOf(span, after), rows })) {
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
      for await (const ids of recordSteps(database, filter.scope, { ids: idsOf(span, null), rows })) {
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
        for await (const ids of recordSteps(database, filter.scope, { ids: idsOf(span, null), rows })) {
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

type Read = Database['read']

function sums<Table extends 'usage_record' | 'usage_daily'>(table: Table) {
  return {
    charge: sql<bigint>`coalesce(sum(${sql.ref(`${table}.charge`)}), 0)`.as('total_charge'),
    prompt: sql<number>`coalesce(sum(${sql.ref(`${table}.prompt_tokens`)}), 0)`.as('promptTokens'),
    completion: sql<number>`coalesce(sum(${sql.ref(`${table}.completion_tokens`)}), 0)`.as('completionTokens'),
  }
}

async function sumRecordsOf(
  read: Read,
  filter: UsageFilter,
  part: { readonly span: UsageSpan; readonly ids: IdSpan },
): Promise<UsageTotals> {
  const { charge, prompt, completion } = sums('usage_record')
  const row = await read
    .selectFrom('usage_record')
    .select(({ fn }) => [fn.countAll<number>().as('requests'), charge, prompt, completion])
    .where((where) => recordsIn(where, filter, part))
    .executeTakeFirstOrThrow()
  return totalsOf(row)
}

function dailyIn({ scope, type, model }: UsageFilter, { first, end }: DaySpan) {
  return (where: ExpressionBuilder<Schema, 'usage_daily'>): Expression<SqlBool> =>
    where.and([
      ...[inScope('usage_daily', scope), where('day', '>=', first), where('day', '<', end)],
      ...(type === undefined ? [] : [where('type', '=', type)]),
      ...(model === undefined ? [] : [where('model', '=', model)]),
    ])
}

async function sumDaysOf(read: Read, filter: UsageFilter, days: DaySpan): Promise<UsageTotals> {
  const { charge, prompt, completion } = sums('usage_daily')
  const row = await read
    .selectFrom('usage_daily')
    .select([sql<number>`coalesce(sum(requests), 0)`.as('requests'), charge, prompt, completion])
    .where(dailyIn(filter, days))
    .executeTakeFirstOrThrow()
  return totalsOf(row)
}

async function listDaysOf(
  read: Read,
  filter: UsageFilter,
  { days, by }: { readonly days: DaySpan; readonly by: UsageDays['by'] },
): Promise<readonly UsageDay[]> {
  const { part, name } = partOf('usage_daily', by)
  const rows = await read
    .selectFrom('usage_daily')
    .select(['day', part.as('part'), name.as('key_name')])
    .select([sql<number>`coalesce(sum(requests), 0)`.as('requests'), sums('usage_daily').charge])
    .select(sql<number>`coalesce(sum(prompt_tokens + completion_tokens), 0)`.as('tokens'))
    .where(dailyIn(filter, days))
    .groupBy(['day', part])
    .orderBy('day')
    .orderBy(sql`2`)
    .execute()
  return rows.map(({ total_charge: charge, key_name, ...row }) => ({ ...row, name: key_name ?? row.part, charge }))
}

/** Ids in one question at most. */
const NAMES_MAX = 500

async function listRecordDays(
  read: Read,
  filter: UsageFilter,
  span: { readonly span: UsageSpan; readonly ids: IdSpan; readonly offsetMs: number; readonly by: UsageDays['by'] },
): Promise<readonly UsageDay[]> {
  const { part, name } = partOf('usage_record', span.by)
  const day = sql<number>`(started_at + ${sql.lit(span.offsetMs)}) / ${sql.lit(DAY_MS)}`
  const rows = await read
    .selectFrom('usage_record')
    .select([day.as('day'), part.as('part'), name.as('key_name'), sums('usage_record').charge])
    .select(({ fn }) => fn.countAll<number>().as('requests'))
    .select(sql<number>`coalesce(sum(coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0)), 0)`.as('tokens'))
    .where((where) => recordsIn(where, filter, span))
    .groupBy([day, part])
    .execute()
  return rows.map(({ total_charge: charge, key_name, ...row }) => ({
    ...{ day: Number(row.day), part: row.part, name: key_name ?? row.part, charge },
    ...{ requests: Number(row.requests), tokens: Number(row.tokens) },
  }))
}

/** What was read in steps as one row for each day and part, oldest first. */
function joinDays(days: readonly UsageDay[]): readonly UsageDay[] {
  const joined = new Map<string, UsageDay>()
  for (const row of days) {
    const key = `${row.day} ${row.part}`
    const known = joined.get(key)
    const { requests = 0, tokens = 0, charge = 0n } = known ?? {}
    joined.set(key, {
      ...row,
      ...{ requests: row.requests + requests, tokens: row.tokens + tokens, charge: row.charge + charge },
    })
  }
  return [...joined.values()].toSorted((one, other) => one.day - other.day || (one.part < other.part ? -1 : 1))
}

/** What days are divided by, and what people call it; null for what has no other name. */
function partOf(table: 'usage_daily' | 'usage_record', by: UsageDays['by']) {
  const keyId = sql.ref(`${table}.key_id`)
  switch (by) {
    case 'key':
      return {
        part: sql<string>`${keyId}`,
        name: sql<string | null>`(select k.name from api_key k where k.key_id = ${keyId})`,
      }
    case 'person': {
      const person = sql<string>`coalesce((select k.created_by from api_key k where k.key_id = ${keyId}), 'none')`
      const name = sql<
        string | null
      >`coalesce(max((select u.name from sign_in_user u join api_key k on k.created_by = u.id where k.key_id = ${keyId})), 'No person')`
      return { part: person, name }
    }
    default:
      return { part: sql<string>`${sql.ref(`${table}.${by}`)}`, name: sql<string | null>`null` }
  }
}

/** Extensions of one hold that are shown at most. Source: own choice. */
const EXTENSIONS_MAX = 200

async function findMovement(read: Database['read'], scope: UsageScope, holdId: string): Promise<Movement | null> {
  const hold = await read
    .selectFrom('hold')
    .select(['state', 'placed_at', 'ended_at', 'amount', 'limit_units'])
    .where('hold_id', '=', holdId)
    .where(inScope('hold', scope))
    .executeTakeFirst()
  if (hold === undefined) return null
  // A hold doubles, so there are few.
  const extensions = await read
    .selectFrom('hold_extension')
    .select(['amount', 'added_amount', 'extended_at'])
    .where('hold_id', '=', holdId)
    .orderBy('amount')
    .limit(EXTENSIONS_MAX)
    .execute()
  const transfer = await read
    .selectFrom('transfer')
    .select(['transfer_id', 'kind', 'created_at'])
    .where('hold_id', '=', holdId)
    .executeTakeFirst()
  if (transfer === undefined) return { hold, extensions, transfer: null, entries: [] }
  const entries = await read
    .selectFrom('ledger_entry')
    .select(['account', 'amount'])
    .where('transfer_id', '=', transfer.transfer_id)
    .execute()
  return { hold, extensions, transfer, entries }
}

/** Looked up by the unique hold of a job. */
function jobOf(holdId: 'usage_record.usage_id' | 'hold.hold_id') {
  return sql<string | null>`(select j.job_id from video_job j where j.hold_id = ${sql.ref(holdId)})`.as('job_id')
}

function keyNameOf(keyId: 'usage_record.key_id' | 'hold.key_id') {
  return sql<string>`(select k.name from api_key k where k.key_id = ${sql.ref(keyId)})`.as('key_name')
}

/** Bounds on the id beside those on the start, because the index is in the order of ids. */
function recordsIn(
  where: ExpressionBuilder<Schema, 'usage_record'>,
  { scope, type, model, status }: UsageFilter,
  { span: { from, to }, ids }: { readonly span: UsageSpan; readonly ids: IdSpan },
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [
    ...[inScope('usage_record', scope), where('usage_id', '>=', ids.from), where('usage_id', '<', ids.below)],
  ]
  if (from !== null) conditions.push(where('started_at', '>=', from))
  if (to !== null) conditions.push(where('started_at', '<', to))
  if (type !== undefined) conditions.push(where('type', '=', type))
  if (model !== undefined) conditions.push(where('model', '=', model))
  if (status !== undefined) conditions.push(where('status', '=', status))
  return where.and(conditions)
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
