import { createId } from '../src/platform/runtime/ids.ts'
import type { Database } from '../src/platform/db/database.ts'
import type { BudgetTable } from '../src/platform/db/schema.ts'

/** An account with a team and a key, for tests of money. */
export interface SeededCaller {
  readonly accountId: string
  readonly teamId: string
  readonly teamBudgetId: string | null
  readonly keyId: string
  readonly keyBudgetId: string
}

export interface SeedOptions {
  /** Nanocredits in the balance. They have no transfer: an audit needs a grant instead. */
  readonly posted?: bigint
  /** Cap of the team; absent leaves the team without a budget row. */
  readonly teamLimit?: bigint | null
  readonly keyLimit?: bigint | null
  readonly period?: BudgetTable['period']
  readonly expiresAt?: number
  /** Makes each id; absent makes unique ids. */
  readonly createId?: () => string
}

/** Makes an account, its balance, a team and a key, each with ids of its own. */
export async function seedCaller(database: Database, options: SeedOptions = {}): Promise<SeededCaller> {
  const now = 1_700_000_000_000
  const id = options.createId ?? ((): string => createId(Date.now()))
  const caller = {
    accountId: id(),
    teamId: id(),
    teamBudgetId: options.teamLimit === undefined ? null : id(),
    keyId: id(),
    keyBudgetId: id(),
  }
  const { accountId, teamId, teamBudgetId, keyId, keyBudgetId } = caller
  const db = database.read
  const budget = (budgetId: string, limit: bigint | null) =>
    db.insertInto('budget').values({
      budget_id: budgetId,
      limit_nanocredits: limit,
      period: options.period ?? 'none',
    })
  await database.write([
    db
      .insertInto('account')
      .values({ account_id: accountId, name: 'Test', status: 'active', created_at: now })
      .compile(),
    db
      .insertInto('balance')
      .values({ account_id: accountId, posted: options.posted ?? 0n, held: 0n })
      .compile(),
    ...(teamBudgetId === null ? [] : [budget(teamBudgetId, options.teamLimit ?? null).compile()]),
    budget(keyBudgetId, options.keyLimit ?? null).compile(),
    db
      .insertInto('team')
      .values({ team_id: teamId, account_id: accountId, budget_id: teamBudgetId, name: 'Test', created_at: now })
      .compile(),
    db
      .insertInto('api_key')
      .values({
        key_id: keyId,
        team_id: teamId,
        account_id: accountId,
        budget_id: keyBudgetId,
        name: 'test',
        key_hash: keyId,
        pepper_version: 1,
        display: 'sk-test',
        rights: 'inference',
        models: null,
        expires_at: options.expiresAt ?? null,
        revoked_at: null,
        created_at: now,
        last_used_at: null,
      })
      .compile(),
  ])
  return caller
}
