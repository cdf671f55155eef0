import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { HoldExtensionTable, HoldTable } from '../../platform/db/hold-schema.ts'
import type { LedgerEntryView, Schema, TransferTable, UsageRecordTable } from '../../platform/db/schema.ts'
import type { UsageSpan } from './usage-span.ts'

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

/** Whose requests are looked at: those of one key, or of a team's keys. */
export type UsageScope =
  | { readonly keyId: string }
  /** Every account's: for operators alone. */
  | { readonly everyAccount: true }
  | {
      readonly accountId: string
      readonly teamId: string
      /** Only keys that this person has made; null for all members'. */
      readonly createdBy: string | null
      /** One of these keys; null for all of them. */
      readonly onlyKey: string | null
    }

/** What a list of usage is narrowed to. Absent parts do not narrow. */
export interface UsageFilter {
  readonly scope: UsageScope
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
  /** Totals of each day and group that has any, from the roll-ups, oldest first. Both days are in. */
  listDays(filter: UsageFilter, days: UsageDays): Promise<readonly UsageDay[]>
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
  readonly by: 'model' | 'key' | 'type'
}

export interface UsageDay {
  /** Days since the epoch, UTC. */
  readonly day: number
  /** A model, the id of a key, or a type. */
  readonly part: string
  /** What people call it. */
  readonly name: string
  readonly requests: number
  readonly tokens: number
  readonly charge: bigint
}

/**
 * How far the time in a record's id may lie from the request's start, in milliseconds. It lies before it by the time
 * that the body took to arrive, and after it when the clock was set back and ids went on from the later time.
 */
const ID_DRIFT_MS = 3_600_000

/** Replaces a key's id for all keys of the playground. */
export const PLAYGROUND_KEYS = 'playground'

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
        .select([jobOf('usage_record.usage_id'), keyNameOf('usage_record.key_id')])
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
    async sumDays({ scope, type, model }, firstDay, endDay) {
      const { charge, prompt, completion } = totals('usage_daily')
      let query = read
        .selectFrom('usage_daily')
        .select([sql<number>`coalesce(sum(requests), 0)`.as('requests'), charge, prompt, completion])
        .where(inScope('usage_daily', scope))
      if (firstDay !== null) query = query.where('day', '>=', firstDay)
      if (endDay !== null) query = query.where('day', '<', endDay)
      if (type !== undefined) query = query.where('type', '=', type)
      if (model !== undefined) query = query.where('model', '=', model)
      return totalsOf(await query.executeTakeFirstOrThrow())
    },
    async listDays({ scope, type, model }, { first, last, by }) {
      const column = by === 'key' ? 'key_id' : by
      const name = by === 'key' ? keyNameOf('usage_daily.key_id') : sql<string>`${sql.ref(column)}`.as('key_name')
      let query = read
        .selectFrom('usage_daily')
        .select(['day', sql<string>`${sql.ref(column)}`.as('part'), name])
        .select([sql<number>`coalesce(sum(requests), 0)`.as('requests'), totals('usage_daily').charge])
        .select(sql<number>`coalesce(sum(prompt_tokens + completion_tokens), 0)`.as('tokens'))
        .where(inScope('usage_daily', scope))
        .where('day', '>=', first)
        .where('day', '<=', last)
        .groupBy(['day', column])
        .orderBy('day')
        .orderBy(column)
      if (type !== undefined) query = query.where('type', '=', type)
      if (model !== undefined) query = query.where('model', '=', model)
      const rows = await query.execute()
      return rows.map(({ total_charge: charge, key_name, ...row }) => ({ ...row, name: key_name, charge }))
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

function keyNameOf(keyId: 'usage_record.key_id' | 'usage_daily.key_id' | 'hold.key_id') {
  return sql<string>`(select k.name from api_key k where k.key_id = ${sql.ref(keyId)})`.as('key_name')
}

/** The account beside the keys of a team, since an index of the account has its records in the order of the page. */
function inScope(table: 'usage_record' | 'usage_daily' | 'hold', scope: UsageScope): Expression<SqlBool> {
  const keyId = sql.ref(`${table}.key_id`)
  if ('keyId' in scope) return sql<SqlBool>`${keyId} = ${scope.keyId}`
  if ('everyAccount' in scope) return sql<SqlBool>`1 = 1`
  const { accountId, teamId, createdBy, onlyKey } = scope
  const made = createdBy === null ? sql`` : sql` and k.created_by = ${createdBy}`
  const played = onlyKey === PLAYGROUND_KEYS ? sql` and k.kind = 'playground'` : null
  const one = onlyKey === null ? sql`` : (played ?? sql` and k.key_id = ${onlyKey}`)
  return sql<SqlBool>`${sql.ref(`${table}.account_id`)} = ${accountId} and ${keyId} in
    (select k.key_id from api_key k where k.team_id = ${teamId}${made}${one})`
}

/** Bounds on the id beside those on the start, because the index is in the order of ids. */
function recordsIn(
  where: ExpressionBuilder<Schema, 'usage_record'>,
  { scope, type, model }: UsageFilter,
  { from, to }: UsageSpan,
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [inScope('usage_record', scope)]
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
