/** What is written of keys: each list of statements is done as a whole or not at all. */
import type { CompiledQuery } from 'kysely'
import type { Database } from '../db/database.ts'
import type { BudgetPeriod } from '../runtime/budget-period.ts'

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
  readonly budgetWindowStart: number
  readonly expiresAt: number | null
  readonly createdAt: number
  readonly createdBy: string | null
  /** The signed-in browser that it ends with: a key of the playground. Null for every other. */
  readonly sessionId: string | null
  /** True for a key that spends from a budget which stands already: that of the key which it follows. */
  readonly sharesBudget: boolean
}

/** Absent parts stay. */
export interface KeyRowChange {
  readonly changedAt: number
  readonly name?: string
  readonly expiresAt?: number | null
  readonly models?: string | null
  readonly budget?: { readonly budgetId: string; readonly limit: bigint | null; readonly period: BudgetPeriod }
  /** For every key that spends from one budget. */
  readonly limit?: { readonly budgetId: string; readonly requestsPerMinute: number | null }
}

export function changeStatements({ read }: Database, keyId: string, change: KeyRowChange): readonly CompiledQuery[] {
  const { budget, limit, changedAt } = change
  const columns = {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.expiresAt === undefined ? {} : { expires_at: change.expiresAt }),
    ...(change.models === undefined ? {} : { models: change.models }),
  }
  const keys = (set: object) =>
    read
      .updateTable('api_key')
      .set({ ...set, changed_at: changedAt })
      .where('revoked_at', 'is', null)
  return [
    ...(Object.keys(columns).length === 0 ? [] : [keys(columns).where('key_id', '=', keyId).compile()]),
    ...(limit === undefined
      ? []
      : [keys({ requests_per_minute: limit.requestsPerMinute }).where('budget_id', '=', limit.budgetId).compile()]),
    // The period that runs stays counted from where it began; the money operation that notices a later one begins it.
    ...(budget === undefined
      ? []
      : [
          read
            .updateTable('budget')
            .set({ limit_nanocredits: budget.limit, period: budget.period })
            .where('budget_id', '=', budget.budgetId)
            .compile(),
        ]),
  ]
}

export function insertStatements({ read }: Database, key: NewKey): readonly CompiledQuery[] {
  const budget = read.insertInto('budget').values({
    budget_id: key.budgetId,
    limit_nanocredits: key.budgetLimit,
    period: key.budgetPeriod,
    window_start: key.budgetWindowStart,
    spent: 0n,
    reserved: 0n,
  })
  const apiKey = read.insertInto('api_key').values({
    key_id: key.keyId,
    team_id: key.teamId,
    account_id: key.accountId,
    budget_id: key.budgetId,
    name: key.name,
    key_hash: key.keyHash,
    pepper_version: key.pepperVersion,
    display: key.display,
    rights: key.rights,
    models: key.models,
    requests_per_minute: key.requestsPerMinute,
    expires_at: key.expiresAt,
    revoked_at: null,
    created_at: key.createdAt,
    last_used_at: null,
    mirrored_by: null,
    created_by: key.createdBy,
    session_id: key.sessionId,
    purpose: key.sessionId === null ? ('user' as const) : ('playground' as const),
  })
  return key.sharesBudget ? [apiKey.compile()] : [budget.compile(), apiKey.compile()]
}
