/** What is written of keys: each list of statements is done as a whole or not at all. */
import { type CompiledQuery, type Expression, sql, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { text, whole } from '../../platform/db/selected-value.ts'
import type { KeyKind } from '../../platform/db/key-schema.ts'
import { type ActingMember, lockTeam, stillMay } from './acting-member.ts'
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'

export interface NewKey {
  readonly keyId: string
  readonly accountId: string
  readonly teamId: string
  readonly budgetId: string
  readonly name: string
  readonly keyHash: string
  readonly pepperVersion: number
  readonly display: string
  readonly rights: string
  readonly models: string | null
  /** Null for that of its account. */
  readonly requestsPerMinute: number | null
  readonly budgetLimit: bigint | null
  readonly budgetPeriod: BudgetPeriod
  readonly expiresAt: number | null
  readonly createdAt: number
  readonly kind: KeyKind
  /** The person whose it is, unless it is a service key; null for an operator's command. */
  readonly createdBy: string | null
  /** Who sees its secret in the console now; null where no person does. */
  readonly reader: string | null
  /** The key through which it was mirrored; null for one that is made here. */
  readonly mirroredBy: string | null
  /** The signed-in browser that it ends with: a key of the playground. Null for every other. */
  readonly sessionId: string | null
  /** True for a key that spends from an existing budget: that of the key which it follows. */
  readonly sharesBudget: boolean
  /** The member who makes it, whose role must still allow it; absent for an operator's command. */
  readonly by?: ActingMember | undefined
}

/** The key that a new one takes the place of, and when it ends. */
export interface Predecessor {
  readonly keyId: string
  /** Null ends it at once, with what was mirrored through it. */
  readonly endsAt: number | null
}

/** Absent parts stay. */
export interface KeyRowChange {
  readonly changedAt: number
  /** The member who changes it, whose role must still allow it; absent for an operator's command. */
  readonly by?: ActingMember | undefined
  readonly name?: string
  readonly expiresAt?: number | null
  readonly models?: string | null
  readonly budget?: { readonly budgetId: string; readonly limit: bigint | null; readonly period: BudgetPeriod }
  /** For every key that spends from one budget. */
  readonly limit?: { readonly budgetId: string; readonly requestsPerMinute: number | null }
}

/** The time of a change. Two in one millisecond have different times: each reaches every process. */
export function laterThanBefore(now: number) {
  return sql<number>`case when changed_at >= ${now} then changed_at + 1 else ${now} end`
}

/** @returns statements of which the last changes a row, or none has to. */
export function changeStatements(database: Database, keyId: string, change: KeyRowChange): readonly CompiledQuery[] {
  const { read } = database
  const { budget, limit, changedAt, by } = change
  const columns = {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.expiresAt === undefined ? {} : { expires_at: change.expiresAt }),
    ...(change.models === undefined ? {} : { models: change.models }),
  }
  const keys = (set: object) =>
    read
      .updateTable('api_key')
      .set({ ...set, changed_at: laterThanBefore(changedAt) })
      .where('revoked_at', 'is', null)
      .where(stillMay(by))
  return [
    ...(by === undefined ? [] : [lockTeam(database, by.teamId)]),
    ...(Object.keys(columns).length === 0 ? [] : [keys(columns).where('key_id', '=', keyId).compile()]),
    ...(limit === undefined
      ? []
      : [keys({ requests_per_minute: limit.requestsPerMinute }).where('budget_id', '=', limit.budgetId).compile()]),
    // Another period counts anew, unless one that began at the same time was counted before.
    ...(budget === undefined
      ? []
      : [
          read
            .updateTable('budget')
            .set({ limit_nanocredits: budget.limit, period: budget.period })
            .where('budget_id', '=', budget.budgetId)
            .where(stillMay(by))
            .compile(),
        ]),
  ]
}

/**
 * Writes a key, its budget where it brings one, and who sees its secret. A key of a person is written only while that
 * person may have one in the team, and any key only while its maker's role allows it: no role can change before the end
 * of the transaction.
 *
 * @param old the key whose place it takes: one that was revoked has no successor.
 * @returns statements of which the last writes the key.
 */
export function insertStatements(database: Database, key: NewKey, old?: Predecessor): readonly CompiledQuery[] {
  const { createdBy, teamId, by } = key
  const holder = key.kind === 'service' || createdBy === null ? null : { teamId, userId: createdBy }
  const isAllowed = sql<SqlBool>`(${isHolder(holder)} and ${stillMay(by)} and ${old === undefined ? TRUE : isLive(old)})`
  return [
    ...(holder === null && by === undefined ? [] : [lockTeam(database, teamId)]),
    ...(old === undefined ? [] : [lockKey(database, old)]),
    ...(key.sharesBudget ? [] : [insertBudget(database, key, isAllowed)]),
    insertKey(database, key, { isAllowed, old }),
  ]
}

/**
 * Ends a key in the place of which another one was written: for after `insertStatements`, whose key decides. What was to
 * end before stays so.
 */
export function endStatements(database: Database, old: Predecessor, key: NewKey): readonly CompiledQuery[] {
  const isFollowed = sql<SqlBool>`exists (select 1 from api_key where key_id = ${key.keyId})`
  const { keyId, endsAt } = old
  if (endsAt === null) return revokeStatements(database, keyId, key.createdAt, isFollowed)
  const statement = database.read
    .updateTable('api_key')
    .set({ expires_at: endsAt, changed_at: laterThanBefore(key.createdAt) })
    .where('key_id', '=', keyId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', endsAt)]))
    .where(isFollowed)
  return [statement.compile()]
}

const TRUE = sql<SqlBool>`1 = 1`

/** A key that is ended at the same time is ended before, or after. */
function lockKey({ read }: Database, { keyId }: Predecessor): CompiledQuery {
  return read
    .updateTable('api_key')
    .set((set) => ({ name: set.ref('name') }))
    .where('key_id', '=', keyId)
    .compile()
}

function isLive({ keyId }: Predecessor): Expression<SqlBool> {
  return sql<SqlBool>`exists (select 1 from api_key where key_id = ${keyId} and revoked_at is null)`
}

/** Notes who has seen a key's secret, once for each person, if the key was written. */
export function readerStatement(
  { read }: Database,
  { keyId, userId, now }: { readonly keyId: string; readonly userId: string; readonly now: number },
): CompiledQuery {
  return sql`
    insert into key_reader (key_id, user_id, seen_at)
    select ${text(keyId)}, ${text(userId)}, ${whole(now)}
     where exists (select 1 from api_key where key_id = ${keyId})
    on conflict (key_id, user_id) do nothing`.compile(read)
}

/** A member of a team whose role allows keys of their own. */
interface Holder {
  readonly teamId: string
  readonly userId: string
}

function isHolder(holder: Holder | null): Expression<SqlBool> {
  if (holder === null) return TRUE
  const { teamId, userId } = holder
  return sql<SqlBool>`exists (select 1 from team_key_holder where team_id = ${teamId} and user_id = ${userId})`
}

function insertBudget({ read }: Database, key: NewKey, isAllowed: Expression<SqlBool>): CompiledQuery {
  const values = sql`
    select ${text(key.budgetId)}, ${whole(key.budgetLimit)}, ${text(key.budgetPeriod)}
     where ${isAllowed}`
  return sql`
    insert into budget (budget_id, limit_nanocredits, period) ${values}`.compile(read)
}

interface KeyInsert {
  readonly isAllowed: Expression<SqlBool>
  readonly old: Predecessor | undefined
}

function insertKey({ read }: Database, key: NewKey, { isAllowed, old }: KeyInsert): CompiledQuery {
  // What a successor may do is what its predecessor may by now: it may have been narrowed since it was read.
  const ofOld = (column: 'models' | 'requests_per_minute') =>
    old === undefined ? null : sql`(select ${sql.ref(column)} from api_key where key_id = ${old.keyId})`
  const columns = {
    key_id: text(key.keyId),
    team_id: text(key.teamId),
    account_id: text(key.accountId),
    budget_id: text(key.budgetId),
    name: text(key.name),
    key_hash: text(key.keyHash),
    pepper_version: whole(key.pepperVersion),
    display: text(key.display),
    rights: text(key.rights),
    models: ofOld('models') ?? text(key.models),
    requests_per_minute: ofOld('requests_per_minute') ?? whole(key.requestsPerMinute),
    expires_at: whole(key.expiresAt),
    created_at: whole(key.createdAt),
    mirrored_by: text(key.mirroredBy),
    created_by: text(key.createdBy),
    kind: text(key.kind),
    session_id: text(key.sessionId),
  }
  const names = Object.keys(columns).map((name) => sql.ref(name))
  return sql`
    insert into api_key (${sql.join(names)}) select ${sql.join(Object.values(columns))}
     where ${isAllowed}`.compile(read)
}

/**
 * Ends a key, and in the same step what was mirrored through it, over any number of keys.
 *
 * @param onlyIf a condition; absent for none.
 */
export function revokeStatements(
  { read }: Database,
  keyId: string,
  now: number,
  onlyIf: Expression<SqlBool> = TRUE,
): readonly CompiledQuery[] {
  const end = () => read.updateTable('api_key').set({ revoked_at: now }).where('revoked_at', 'is', null).where(onlyIf)
  const mirrors = sql<string>`(
    with recursive mirror (key_id) as (
      select key_id from api_key where mirrored_by = ${keyId}
      union
      select m.key_id from api_key m join mirror on m.mirrored_by = mirror.key_id)
    select key_id from mirror)`
  return [
    end().where('key_id', '=', keyId).compile(),
    end()
      .where(sql<SqlBool>`key_id in ${mirrors}`)
      .compile(),
  ]
}
