import { nanocreditsOf } from '@svc/contract'
import { renderLowBalanceEmail } from '../../platform/mail/low-balance-email.ts'
import { type OutboxDeps, queueMail } from '../../platform/mail/outbox.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { can } from './permissions.ts'
import type { CrossedTeam, TeamSettingsStore } from './team-settings-store.ts'
import type { TeamStore } from './team-store.ts'

export interface NotifyLowBalancesDeps {
  readonly settings: Pick<TeamSettingsStore, 'listFallen' | 'noteFallen' | 'noteRisen'>
  readonly teams: Pick<TeamStore, 'listMembers'>
  readonly outbox: OutboxDeps
  readonly clock: Clock
  /** Page of the console where a team's credits are added. */
  readonly linkOf: (teamId: string) => string
  /** Whether emails can reach this address; people who came by a wallet have a placeholder. */
  readonly hasMailbox: (email: string) => boolean
}

/** Teams of one round at most; the others follow in the next. */
const ROUND_MAX = 100

/**
 * Writes to those who can add credits when their team's balance has fallen below what the team has set: once for each
 * fall, by any number of processes, beside the requests and never in one.
 *
 * The emails come first and are written once by their topic; only then the fall counts as notified. A process that dies
 * between the two is repeated by the next round, and writes no second email. Source: decision 0043.
 */
export async function notifyLowBalances(deps: NotifyLowBalancesDeps): Promise<void> {
  const { settings, clock } = deps
  await settings.noteRisen(clock.now())
  for (const team of await settings.listFallen(ROUND_MAX)) {
    await tell(deps, team)
    await settings.noteFallen(team, clock.now())
  }
}

async function tell({ teams, outbox, ...deps }: NotifyLowBalancesDeps, team: CrossedTeam): Promise<void> {
  const members = await teams.listMembers(team.teamId)
  const told = members.filter(({ role, email }) => can(role, 'deposits:manage') && deps.hasMailbox(email))
  const content = renderLowBalanceEmail({
    teamName: team.name,
    balance: nanocreditsOf(team.posted),
    threshold: nanocreditsOf(team.threshold),
    link: deps.linkOf(team.teamId),
  })
  for (const { email: recipient } of told) {
    const topic = `low-balance:${team.teamId}:${team.changedAt}`
    await queueMail(outbox, { kind: 'low_balance', accountId: team.accountId, topic, recipient, content })
  }
}
