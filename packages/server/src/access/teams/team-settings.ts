/** What a team sets for itself: its name, its spending cap, and the balance below which it is notified. */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { ActingMember } from '../keys/acting-member.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { type BudgetPeriod, periodEnd } from '../../platform/runtime/budget-period.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { TeamStore } from './team-store.ts'
import type { TeamSettingsStore } from './team-settings-store.ts'

/** Teams that one person owns at most. Source: own choice. */
const OWNED_TEAMS_MAX = 20

/** What members write of their team. */
export interface TeamWrites {
  readonly teams: Pick<TeamStore, 'rename'>
  readonly settings: Pick<
    TeamSettingsStore,
    'setLimit' | 'insertCap' | 'setRotationOverlap' | 'setAlert' | 'setResponseStorage'
  >
}

export interface TeamSettingsDeps {
  readonly store: Pick<TeamStore, 'insert'>
  readonly settings: Pick<TeamSettingsStore, 'find'>
  /** Each of them is written only while the member may do it. */
  readonly writesOf: (by: ActingMember) => TeamWrites
  readonly clock: Clock
}

/** @throws {ServiceError} `role_denied` for who may not any more. */
export async function renameTeam(
  { writesOf }: Pick<TeamSettingsDeps, 'writesOf'>,
  by: ActingMember,
  name: string,
): Promise<void> {
  await writesOf(by).teams.rename(by.teamId, name)
}

/** Makes a team with an account of its own. @throws {ServiceError} `limit_reached`. */
export async function createTeam(
  { store, clock }: Pick<TeamSettingsDeps, 'store' | 'clock'>,
  owner: { readonly userId: string; readonly teamName: string },
): Promise<string> {
  const now = clock.now()
  const teamId = createId(now)
  const team = { teamId, accountId: createId(now), name: owner.teamName, ownerId: owner.userId, createdAt: now }
  if (await store.insert({ ...team, isPersonal: false }, OWNED_TEAMS_MAX)) return teamId
  throw new ServiceError('limit_reached', `A person owns at most ${OWNED_TEAMS_MAX} teams. Leave one first.`)
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
  /** Whether responses are stored for later requests. */
  readonly storesResponses: boolean
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
    storesResponses: found.storesResponses,
  }
}

/**
 * Sets or removes the cap. Another limit for the same period goes on counting; another period counts anew, in a budget
 * of its own, since holds that run go on counting in the one that they were placed in.
 *
 * @throws {ServiceError} `role_denied` for who may not any more.
 */
export async function setTeamCap(
  { settings, writesOf, clock }: Pick<TeamSettingsDeps, 'settings' | 'writesOf' | 'clock'>,
  by: ActingMember,
  cap: { readonly limit: Nanocredits; readonly period: BudgetPeriod } | null,
): Promise<void> {
  const { teamId } = by
  const now = clock.now()
  const found = await getSettings(settings, teamId, now)
  const writes = writesOf(by).settings
  if (found.budgetId !== null && (cap === null || cap.period === found.period)) {
    await writes.setLimit(found.budgetId, cap?.limit ?? null)
    return
  }
  if (cap === null) return
  await writes.insertCap({ teamId, budgetId: createId(now), limit: cap.limit, period: cap.period })
}

/** Sets the balance below which a mail is sent; null for no mail. */
export async function setTeamAlert(
  { writesOf, clock }: Pick<TeamSettingsDeps, 'writesOf' | 'clock'>,
  by: ActingMember,
  threshold: Nanocredits | null,
): Promise<void> {
  await writesOf(by).settings.setAlert(by.teamId, threshold, clock.now())
}

/**
 * Sets how long a key still works after a member who has seen its secret lost the right to handle it. Keys that have to
 * be rotated already keep their end.
 *
 * @param overlapMs 0 ends such keys at once; a day at most.
 */
export async function setRotationOverlap(
  { writesOf }: Pick<TeamSettingsDeps, 'writesOf'>,
  by: ActingMember,
  overlapMs: number,
): Promise<void> {
  await writesOf(by).settings.setRotationOverlap(by.teamId, overlapMs)
}

/** Has the team's responses stored, or no longer: then those that are stored are removed. */
export async function setResponseStorage(
  { writesOf, clock }: Pick<TeamSettingsDeps, 'writesOf' | 'clock'>,
  by: ActingMember,
  isOn: boolean,
): Promise<void> {
  await writesOf(by).settings.setResponseStorage(by.teamId, isOn ? clock.now() : null)
}

async function getSettings(settings: TeamSettingsDeps['settings'], teamId: string, now: number) {
  const found = await settings.find(teamId, now)
  if (found === null) throw new ServiceError('team_not_found', 'There is no such team.', { param: 'team_id' })
  return found
}
