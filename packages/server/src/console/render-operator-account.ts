import { type AccountState, creditsJson, nanocreditsOf } from '@svc/contract'
import type { GatewayLimits } from '../access/keys/request-limits.ts'
import type { DirectoryRow, DirectoryTeam, FoundAccount } from '../operations/actions/find-accounts.ts'
import { secondsOf } from './operator-of.ts'
import { renderOperatorLimits } from './render-limits.ts'
import { renderTeamKey } from './render-team-key.ts'

const credits = (amount: bigint) => creditsJson(nanocreditsOf(amount))

function stateOf({ status, closed_at: closedAt }: DirectoryRow): AccountState {
  return closedAt === null ? status : 'closed'
}

/** An account as a row of the list. */
export function renderAccount(row: DirectoryRow) {
  return {
    id: row.account_id,
    name: row.name,
    state: stateOf(row),
    created_at: secondsOf(row.created_at),
    closed_at: secondsOf(row.closed_at),
    credits: credits(row.posted),
    credits_reserved: credits(row.held),
  }
}

function renderCap({ limit_nanocredits: limit, period, spent, reserved }: DirectoryTeam) {
  if (limit === null || period === null) return null
  return {
    credits: credits(limit),
    period,
    used: credits(spent ?? 0n),
    reserved: credits(reserved ?? 0n),
  }
}

/** Everything about an account. */
export function renderAccountDetails(found: FoundAccount, gateway: GatewayLimits) {
  const { row, holds, teams, members, keys, requests, fundings } = found
  return {
    ...renderAccount(row),
    limits: renderOperatorLimits(found.limits, gateway),
    open_requests: { count: holds.holds, oldest_at: secondsOf(holds.oldest) },
    teams: teams.map((team) => ({ id: team.team_id, name: team.name, cap: renderCap(team) })),
    members: members.map(({ team_id, user_id, name, email, role, created_at: since }) => ({
      ...{ team_id, user_id, name, email, role, since: secondsOf(since) },
    })),
    keys: keys.map(renderTeamKey),
    requests: requests.map((request) => ({
      request_id: request.usage_id,
      created: secondsOf(request.started_at),
      type: request.type,
      model: request.model,
      status: request.status,
      error_code: request.error_code,
      credits_charged: credits(request.charge),
    })),
    fundings: fundings.map(({ transfer_id: id, kind, funding, reason, created_at: created }) => ({
      ...{ id, kind, credits: credits(funding), reason, created: secondsOf(created) },
    })),
  }
}
