import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { inPresentWindow } from '../../platform/db/present-window.ts'
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'

/** A team's present cap and alert. Amounts are nanocredits. */
export interface TeamSettings {
  readonly budgetId: string | null
  readonly limit: bigint | null
  readonly period: BudgetPeriod
  readonly spent: bigint
  readonly reserved: bigint
  readonly threshold: bigint | null
  readonly isLow: boolean
  readonly rotationOverlapMs: number
  readonly storesResponses: boolean
}

export interface NewCap {
  readonly teamId: string
  readonly budgetId: string
  readonly limit: bigint
  readonly period: BudgetPeriod
}

/** A team whose balance has passed its threshold, up or down, since that was last noted. */
export interface CrossedTeam {
  readonly teamId: string
  readonly accountId: string
  readonly name: string
  readonly posted: bigint
  readonly threshold: bigint
  /** When the alert last changed: names this fall among all of them. */
  readonly changedAt: number
}

export interface TeamSettingsStore {
  /** With what the cap has counted in the period that contains `now`. Null for a team that is not there. */
  find(teamId: string, now: number): Promise<TeamSettings | null>
  /** Changes the limit of an existing budget; what it has counted so far stays. Null for none. */
  setLimit(budgetId: string, limit: bigint | null): Promise<void>
  /** Gives the team a budget of its own; one that it had stays for the holds that were placed in it. */
  insertCap(cap: NewCap): Promise<void>
  setRotationOverlap(teamId: string, overlapMs: number): Promise<void>
  /** Has responses stored from now on; null for no longer, which removes those that are. */
  setResponseStorage(teamId: string, since: number | null): Promise<void>
  /** Sets the threshold. If the balance is already below it, that is noted and sends no email. Null ends the alert. */
  setAlert(teamId: string, threshold: bigint | null, now: number): Promise<void>
  /** Teams whose balance fell below their threshold and who were not notified yet. */
  listFallen(limit: number): Promise<readonly CrossedTeam[]>
  /** Notes that a team was notified. Of several processes one succeeds. */
  noteFallen(team: Pick<CrossedTeam, 'teamId' | 'changedAt'>, now: number): Promise<boolean>
  /** Notes whose balance is above the threshold again: they are notified the next time. */
  noteRisen(now: number): Promise<void>
}

/** Makes the store of what a team sets. */
export function createTeamSettingsStore(database: Database): TeamSettingsStore {
  const { read } = database
  return {
    async find(teamId, now) {
      const row = await read
        .selectFrom('team')
        .leftJoin('budget', 'budget.budget_id', 'team.budget_id')
        .leftJoin('budget_window', inPresentWindow(now))
        .leftJoin('team_alert', 'team_alert.team_id', 'team.team_id')
        .leftJoin('response_storage', 'response_storage.team_id', 'team.team_id')
        .select([
          'team.budget_id as budgetId',
          'budget.limit_nanocredits',
          'budget.period',
          'budget_window.spent',
          'budget_window.reserved',
          'team_alert.threshold_nanocredits',
          'team_alert.is_low as isLow',
          'team.rotation_overlap_ms as rotationOverlapMs',
          'response_storage.created_at as storesSince',
        ])
        .where('team.team_id', '=', teamId)
        .executeTakeFirst()
      if (row === undefined) return null
      return {
        budgetId: row.budgetId,
        limit: row.limit_nanocredits,
        period: row.period ?? 'none',
        spent: row.spent ?? 0n,
        reserved: row.reserved ?? 0n,
        threshold: row.threshold_nanocredits,
        isLow: row.isLow === 1,
        rotationOverlapMs: row.rotationOverlapMs,
        storesResponses: row.storesSince !== null,
      }
    },
    async setLimit(budgetId, limit) {
      await database.write([
        read.updateTable('budget').set({ limit_nanocredits: limit }).where('budget_id', '=', budgetId).compile(),
      ])
    },
    async insertCap({ teamId, budgetId, limit, period }) {
      const budget = { budget_id: budgetId, limit_nanocredits: limit, period }
      await database.write([
        read.insertInto('budget').values(budget).compile(),
        read.updateTable('team').set({ budget_id: budgetId }).where('team_id', '=', teamId).compile(),
      ])
    },
    async setRotationOverlap(teamId, overlapMs) {
      const set = { rotation_overlap_ms: overlapMs }
      await database.write([read.updateTable('team').set(set).where('team_id', '=', teamId).compile()])
    },
    async setResponseStorage(teamId, since) {
      const table = 'response_storage'
      if (since === null) {
        await database.write([read.deleteFrom(table).where('team_id', '=', teamId).compile()])
        return
      }
      const insert = read
        .insertInto(table)
        .values({ team_id: teamId, created_at: since })
        .onConflict((conflict) => conflict.doNothing())
      await database.write([insert.compile()])
    },
    async setAlert(teamId, threshold, now) {
      if (threshold === null) {
        await database.write([read.deleteFrom('team_alert').where('team_id', '=', teamId).compile()])
        return
      }
      const isLow = sql<number>`case when (
        select posted from balance join team on team.account_id = balance.account_id where team.team_id = ${teamId}
      ) < ${threshold} then 1 else 0 end`
      const values = { threshold_nanocredits: threshold, is_low: isLow, changed_at: now }
      const statement = read
        .insertInto('team_alert')
        .values({ team_id: teamId, ...values })
        .onConflict((conflict) => conflict.column('team_id').doUpdateSet(values))
      await database.write([statement.compile()])
    },
    async listFallen(limit) {
      const rows = await read
        .selectFrom('team_alert')
        .innerJoin('team', 'team.team_id', 'team_alert.team_id')
        .innerJoin('balance', 'balance.account_id', 'team.account_id')
        .select([
          'team.team_id as teamId',
          'team.account_id as accountId',
          'team.name',
          'balance.posted',
          'team_alert.threshold_nanocredits',
          'team_alert.changed_at as changedAt',
        ])
        .where('team_alert.is_low', '=', 0)
        .whereRef('balance.posted', '<', 'team_alert.threshold_nanocredits')
        .orderBy('team_alert.team_id')
        .limit(limit)
        .execute()
      return rows.map(({ threshold_nanocredits: threshold, ...row }) => ({ ...row, threshold }))
    },
    async noteFallen({ teamId, changedAt }, now) {
      const statement = read
        .updateTable('team_alert')
        .set({ is_low: 1, changed_at: now })
        .where('team_id', '=', teamId)
        .where('changed_at', '=', changedAt)
        .where('is_low', '=', 0)
      const [noted] = await database.write([statement.compile()])
      return noted === 1
    },
    async noteRisen(now) {
      const isAbove = sql<boolean>`exists (
        select 1 from balance join team on team.account_id = balance.account_id
         where team.team_id = team_alert.team_id and balance.posted >= team_alert.threshold_nanocredits)`
      const waiting = await read
        .selectFrom('team_alert')
        .select('team_id')
        .where('is_low', '=', 1)
        .where(isAbove)
        .limit(1)
        .executeTakeFirst()
      // Most rounds find nothing: they write nothing.
      if (waiting === undefined) return
      const statement = read
        .updateTable('team_alert')
        .set({ is_low: 0, changed_at: now })
        .where('is_low', '=', 1)
        .where(isAbove)
      await database.write([statement.compile()])
    },
  }
}
