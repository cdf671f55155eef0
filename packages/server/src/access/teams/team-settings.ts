/** What a team sets for itself: its name, its spending cap, and the balance below which it is notified. */
import { formatCredits, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { type BudgetPeriod, periodEnd } from '../../platform/runtime/budget-period.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { Membership } from './membership.ts'
import type { TeamStore } from './team-store.ts'
import type { TeamSettingsStore } from './team-settings-store.ts'

/** Teams that one person owns at most. Source: own choice. */
const OWNED_TEAMS_MAX = 20
/** Source: the column holds 64 bits; this is 9 billion credits. */
const AMOUNT_MAX = 9_000_000_000_000_000_000n

export interface TeamSettingsDeps {
  readonly store: Pick<TeamStore, 'countOwned' | 'insert'>
  readonly settings: TeamSettingsStore
  readonly clock: Clock
}

/** Makes a team with an account of its own. @throws {ServiceError} `limit_reached`. */
export async function createTeam(
  { store, clock }: Pick<TeamSettingsDeps, 'store' | 'clock'>,
  owner: { readonly userId: string; readonly teamName: string },
): Promise<string> {
  if ((await store.countOwned(owner.userId)) >= OWNED_TEAMS_MAX) {
    throw new ServiceError('limit_reached', `A person owns at most ${OWNED_TEAMS_MAX} teams. Leave one first.`)
  }
  const now = clock.now()
  const teamId = createId(now)
  const team = { teamId, accountId: createId(now), name: owner.teamName, ownerId: owner.userId, createdAt: now }
  await store.insert({ ...team, isPersonal: false })
  return teamId
}

export interface TeamSettingsView {
  /** Null for no cap. */
  readonly cap: Nanocredits | null
  readonly period: BudgetPeriod
  /** In the present period, holds included. */
  readonly used: Nanocredits
  readonly resetsAt: number | null
  readonly threshold: Nanocredits | null
  readonly isLow: boolean
  /** How long keys that a departed person has seen still work, in milliseconds. */
  readonly rotationOverlapMs: number
}

export async function readTeamSettings(
  { settings, clock }: Pick<TeamSettingsDeps, 'settings' | 'clock'>,
  teamId: string,
): Promise<TeamSettingsView> {
  const now = clock.now()
  const found = await getSettings(settings, teamId, now)
  const { limit, period, threshold } = found
  return {
    cap: limit === null ? null : nanocreditsOf(limit),
    period,
    used: nanocreditsOf(found.spent + found.reserved),
    resetsAt: periodEnd(period, now),
    threshold: threshold === null ? null : nanocreditsOf(threshold),
    isLow: found.isLow,
    rotationOverlapMs: found.rotationOverlapMs,
  }
}

/**
 * Sets or removes the cap. Another limit for the same period goes on counting; another period counts anew, in a budget
 * of its own, since holds that run go on counting in the one that they were placed in.
 *
 * @throws {ServiceError} `invalid_value` when the limit is too large.
 */
export async function setTeamCap(
  { settings, clock }: Pick<TeamSettingsDeps, 'settings' | 'clock'>,
  teamId: string,
  cap: { readonly limit: Nanocredits; readonly period: BudgetPeriod } | null,
): Promise<void> {
  const now = clock.now()
  const found = await getSettings(settings, teamId, now)
  if (cap !== null) requireAmount(cap.limit, 'cap.credits')
  if (found.budgetId !== null && (cap === null || cap.period === found.period)) {
    await settings.setLimit(found.budgetId, cap?.limit ?? null)
    return
  }
  if (cap === null) return
  await settings.insertCap({ teamId, budgetId: createId(now), limit: cap.limit, period: cap.period })
}

/** @throws {ServiceError} `invalid_value` when the threshold is too large. */
export async function setTeamAlert(
  { settings, clock }: Pick<TeamSettingsDeps, 'settings' | 'clock'>,
  { teamId }: Pick<Membership, 'teamId'>,
  threshold: Nanocredits | null,
): Promise<void> {
  if (threshold !== null) requireAmount(threshold, 'credits')
  await settings.setAlert(teamId, threshold, clock.now())
}

/**
 * Sets how long a key still works after a member who has seen its secret lost the right to handle it. Keys that have to
 * be rotated already keep their end.
 *
 * @param overlapMs 0 ends such keys at once; a day at most.
 */
export async function setRotationOverlap(
  { settings }: Pick<TeamSettingsDeps, 'settings'>,
  teamId: string,
  overlapMs: number,
): Promise<void> {
  await settings.setRotationOverlap(teamId, overlapMs)
}

async function getSettings(settings: TeamSettingsStore, teamId: string, now: number) {
  const found = await settings.find(teamId, now)
  if (found === null) throw new ServiceError('team_not_found', 'There is no such team.', { param: 'team_id' })
  return found
}

function requireAmount(amount: Nanocredits, param: string): void {
  if (amount <= AMOUNT_MAX) return
  const most = formatCredits(nanocreditsOf(AMOUNT_MAX))
  throw new ServiceError('invalid_value', `There are no more than ${most} credits.`, { param })
}
