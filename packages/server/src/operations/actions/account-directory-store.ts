import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { inPresentWindow } from '../../platform/db/present-window.ts'

/** An account as lists of the operator show it. */
export interface DirectoryRow {
  readonly account_id: string
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly created_at: number
  readonly closed_at: number | null
  readonly posted: bigint
  readonly held: bigint
}

export interface DirectoryFilter {
  /** Part of its name, or of the address of a member; or the beginning of an id of it, its team or a key. */
  readonly text?: string
  readonly state?: 'active' | 'suspended' | 'closed'
  /** Continue after this account. */
  readonly after?: string
  readonly limit: number
}

export interface DirectoryTeam {
  readonly team_id: string
  readonly name: string
  readonly limit_nanocredits: bigint | null
  readonly period: 'none' | 'daily' | 'weekly' | 'monthly' | null
  readonly spent: bigint | null
  readonly reserved: bigint | null
}

export interface DirectoryMember {
  readonly team_id: string
  readonly user_id: string
  readonly name: string
  readonly email: string
  readonly role: string
  readonly created_at: number
}

export interface OpenHoldFigures {
  readonly holds: number
  readonly oldest: number | null
}

/** A request that has ended; what was said in it is stored nowhere. */
export interface DirectoryUsage {
  readonly usage_id: string
  readonly started_at: number
  readonly type: string
  readonly model: string
  readonly status: string
  readonly error_code: string | null
  readonly charge: bigint
}

/** Credits that came or were taken by no request. */
export interface DirectoryFunding {
  readonly transfer_id: string
  readonly kind: string
  readonly funding: bigint
  readonly reason: string | null
  readonly created_at: number
}

/** Reads what operators look for in accounts. Nothing is written here. */
export interface AccountDirectory {
  /** Newest first. */
  search(filter: DirectoryFilter): Promise<readonly DirectoryRow[]>
  find(accountId: string): Promise<DirectoryRow | null>
  /** With what each cap has counted in the period that contains `now`. */
  listTeams(accountId: string, now: number): Promise<readonly DirectoryTeam[]>
  /** Oldest first, at most 200. */
  listMembers(accountId: string): Promise<readonly DirectoryMember[]>
  readOpenHolds(accountId: string): Promise<OpenHoldFigures>
  /** Newest first. */
  listUsage(accountId: string, limit: number): Promise<readonly DirectoryUsage[]>
  /** Newest first. */
  listFundings(accountId: string, limit: number): Promise<readonly DirectoryFunding[]>
}

const MEMBERS_MAX = 200

/** A text as a part of a pattern: its own wildcards mean themselves. */
function patternOf(text: string): string {
  return text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)
}

/** Makes the directory of accounts. */
export function createAccountDirectory({ read }: Database): AccountDirectory {
  const rows = () =>
    read
      .selectFrom('account')
      .innerJoin('balance', 'balance.account_id', 'account.account_id')
      .select(['account.account_id', 'account.name', 'account.status', 'account.created_at', 'account.closed_at'])
      .select(['balance.posted', 'balance.held'])
  return {
    async find(accountId) {
      return (await rows().where('account.account_id', '=', accountId).executeTakeFirst()) ?? null
    },
    search({ text, state, after, limit }) {
      let query = rows().orderBy('account.account_id', 'desc').limit(limit)
      if (after !== undefined) query = query.where('account.account_id', '<', after)
      if (state === 'closed') query = query.where('account.closed_at', 'is not', null)
      else if (state !== undefined) query = query.where('account.status', '=', state).where('closed_at', 'is', null)
      if (text !== undefined) query = query.where(matches(text))
      return query.execute()
    },
    listTeams(accountId, now) {
      return read
        .selectFrom('team')
        .leftJoin('budget', 'budget.budget_id', 'team.budget_id')
        .leftJoin('budget_window', inPresentWindow(now))
        .select(['team.team_id', 'team.name', 'budget.limit_nanocredits', 'budget.period'])
        .select(['budget_window.spent', 'budget_window.reserved'])
        .where('team.account_id', '=', accountId)
        .orderBy('team.team_id')
        .execute()
    },
    listMembers(accountId) {
      return read
        .selectFrom('team')
        .innerJoin('team_member', 'team_member.team_id', 'team.team_id')
        .innerJoin('sign_in_user', 'sign_in_user.id', 'team_member.user_id')
        .select(['team.team_id', 'team_member.user_id', 'sign_in_user.name', 'sign_in_user.email'])
        .select(['team_member.role', 'team_member.created_at'])
        .where('team.account_id', '=', accountId)
        .orderBy('team_member.created_at')
        .orderBy('team_member.user_id')
        .limit(MEMBERS_MAX)
        .execute()
    },
    async readOpenHolds(accountId) {
      const row = await read
        .selectFrom('hold')
        .select(({ fn }) => [fn.count<number>('hold_id').as('holds'), fn.min('placed_at').as('oldest')])
        .where('account_id', '=', accountId)
        .where('state', '=', 'held')
        .executeTakeFirstOrThrow()
      return { holds: row.holds, oldest: row.oldest }
    },
    listUsage(accountId, limit) {
      return read
        .selectFrom('usage_record')
        .select(['usage_id', 'started_at', 'type', 'model', 'status', 'error_code', 'charge'])
        .where('account_id', '=', accountId)
        .orderBy('usage_id', 'desc')
        .limit(limit)
        .execute()
    },
    listFundings(accountId, limit) {
      return (
        read
          .selectFrom('transfer')
          .select(['transfer_id', 'kind', 'funding', 'reason', 'created_at'])
          .where('account_id', '=', accountId)
          .where('hold_id', 'is', null)
          .where('transfer_id', '>', '')
          // An expression, so that the index of all transfers is not read for its order.
          .orderBy(sql`created_at + 0`, 'desc')
          .orderBy('transfer_id', 'desc')
          .limit(limit)
          .execute()
      )
    },
  }
}

/** Whether an account is one that an operator looks for by a text. */
function matches(text: string) {
  const [part, beginning] = [`%${patternOf(text)}%`, `${patternOf(text)}%`]
  return sql<boolean>`(
    lower(account.name) like ${part} escape '\\'
    or account.account_id like ${beginning} escape '\\'
    or exists (select 1 from team where team.account_id = account.account_id
                and team.team_id like ${beginning} escape '\\')
    or exists (select 1 from api_key where api_key.account_id = account.account_id
                and api_key.key_id like ${beginning} escape '\\')
    or exists (select 1 from team
                 join team_member on team_member.team_id = team.team_id
                 join sign_in_user on sign_in_user.id = team_member.user_id
                where team.account_id = account.account_id
                  and lower(sign_in_user.email) like ${part} escape '\\'))`
}
