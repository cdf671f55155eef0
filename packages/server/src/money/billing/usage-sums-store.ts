/** Sums of usage in one part of a history: of single records, and of days by their roll-ups. */
import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { dailyIn, recordsIn, type UsageFilter } from './usage-filter.ts'
import type { UsageSpan } from './usage-span.ts'
import type { DaySpan, IdSpan } from './usage-steps.ts'
import type { UsageTotals } from './usage-totals.ts'

type Read = Database['read']

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

function sums<Table extends 'usage_record' | 'usage_daily'>(table: Table) {
  return {
    charge: sql<bigint>`coalesce(sum(${sql.ref(`${table}.charge`)}), 0)`.as('total_charge'),
    prompt: sql<number>`coalesce(sum(${sql.ref(`${table}.prompt_tokens`)}), 0)`.as('promptTokens'),
    completion: sql<number>`coalesce(sum(${sql.ref(`${table}.completion_tokens`)}), 0)`.as('completionTokens'),
  }
}

/** Of the records that began within a span, as far as their ids lie in the part. */
export async function sumRecordsOf(
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

/** Of whole days. */
export async function sumDaysOf(read: Read, filter: UsageFilter, days: DaySpan): Promise<UsageTotals> {
  const { charge, prompt, completion } = sums('usage_daily')
  const row = await read
    .selectFrom('usage_daily')
    .select([sql<number>`coalesce(sum(requests), 0)`.as('requests'), charge, prompt, completion])
    .where(dailyIn(filter, days))
    .executeTakeFirstOrThrow()
  return totalsOf(row)
}

/** Each day and group that has any, oldest first. */
export async function listDaysOf(
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

/** The same from single records, of the days of a time zone, in any order. */
export async function listRecordDays(
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
export function joinDays(days: readonly UsageDay[]): readonly UsageDay[] {
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

function totalsOf(row: {
  readonly requests: number
  readonly total_charge: bigint
  readonly promptTokens: number
  readonly completionTokens: number
}): UsageTotals {
  const { total_charge: charge, requests, promptTokens, completionTokens } = row
  return { requests, charge, promptTokens, completionTokens }
}
