import type { CompiledQuery } from 'kysely'
import { isUniqueViolation } from '../../platform/db/database-failure.ts'
import type { Database } from '../../platform/db/database.ts'
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'

export type AccountStatus = 'active' | 'suspended'

/** An account with its balance and the team that it was made with. */
export interface AccountRecord {
  readonly accountId: string
  readonly name: string
  readonly status: AccountStatus
  readonly createdAt: number
  /** Null for an account that was not closed. */
  readonly closedAt: number | null
  readonly posted: bigint
  readonly held: bigint
}

export interface TeamRecord {
  readonly teamId: string
  readonly name: string
  /** Null when the team has no cap. */
  readonly budgetId: string | null
}

export interface NewAccount {
  readonly accountId: string
  readonly name: string
  readonly teamId: string
  readonly teamName: string
  /** Null for a team without a cap. */
  readonly teamBudget: NewTeamBudget | null
  readonly createdAt: number
}

export interface NewTeamBudget {
  readonly budgetId: string
  readonly limit: bigint
  readonly period: BudgetPeriod
}

export interface AccountPage {
  /** Continue after this account. */
  readonly after?: string
  readonly limit: number
}

export interface AccountStore {
  /**
   * Writes account, balance, team and the team's budget, all or none. Returns false when the account's id is taken.
   */
  insert(account: NewAccount): Promise<boolean>
  find(accountId: string): Promise<AccountRecord | null>
  /** Newest first. */
  list(page: AccountPage): Promise<readonly AccountRecord[]>
  /** Oldest first. */
  listTeams(accountId: string): Promise<readonly TeamRecord[]>
  /** Returns false when there is no such account, it has this status already, or it was closed. */
  setStatus(accountId: string, status: AccountStatus): Promise<boolean>
  /** Suspends it for good. Returns false when there is no such account or it was closed before. */
  close(accountId: string, now: number): Promise<boolean>
}

/** Makes the store of accounts and teams. Balances are written here once, at 0, and moved by the ledger alone. */
export function createAccountStore(database: Database): AccountStore {
  const { read } = database
  const records = () =>
    read
      .selectFrom('account')
      .innerJoin('balance', 'balance.account_id', 'account.account_id')
      .select([
        'account.account_id as accountId',
        'account.name',
        'account.status',
        'account.created_at as createdAt',
        'account.closed_at as closedAt',
        'balance.posted',
        'balance.held',
      ])
  return {
    async insert(account) {
      try {
        await database.write(insertStatements(database, account))
        return true
      } catch (error) {
        if (isUniqueViolation(error)) return false
        throw error
      }
    },
    async find(accountId) {
      const row = await records().where('account.account_id', '=', accountId).executeTakeFirst()
      return row ?? null
    },
    list({ after, limit }) {
      const query = records().orderBy('account.account_id', 'desc').limit(limit)
      return (after === undefined ? query : query.where('account.account_id', '<', after)).execute()
    },
    listTeams(accountId) {
      return read
        .selectFrom('team')
        .select(['team_id as teamId', 'name', 'budget_id as budgetId'])
        .where('account_id', '=', accountId)
        .orderBy('team_id')
        .execute()
    },
    async setStatus(accountId, status) {
      const statement = read
        .updateTable('account')
        .set({ status })
        .where('account_id', '=', accountId)
        .where('status', '<>', status)
        .where('closed_at', 'is', null)
      const [changed] = await database.write([statement.compile()])
      return changed === 1
    },
    async close(accountId, now) {
      const statement = read
        .updateTable('account')
        .set({ status: 'suspended', closed_at: now })
        .where('account_id', '=', accountId)
        .where('closed_at', 'is', null)
      const [changed] = await database.write([statement.compile()])
      return changed === 1
    },
  }
}

function insertStatements({ read }: Database, account: NewAccount): readonly CompiledQuery[] {
  const { accountId, teamBudget, createdAt } = account
  const budget =
    teamBudget === null
      ? []
      : [
          read.insertInto('budget').values({
            budget_id: teamBudget.budgetId,
            limit_nanocredits: teamBudget.limit,
            period: teamBudget.period,
          }),
        ]
  return [
    read
      .insertInto('account')
      .values({ account_id: accountId, name: account.name, status: 'active', created_at: createdAt }),
    read.insertInto('balance').values({ account_id: accountId, posted: 0n, held: 0n }),
    ...budget,
    read.insertInto('team').values({
      team_id: account.teamId,
      account_id: accountId,
      budget_id: teamBudget?.budgetId ?? null,
      name: account.teamName,
      created_at: createdAt,
    }),
  ].map((query) => query.compile())
}
