/** Members of a team: who is in it, what they are, and how they leave. */
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { type ActingMember, roleLost } from '../keys/acting-member.ts'
import type { Member, Membership } from './membership.ts'
import { type Role, rolesWith } from './permissions.ts'
import type { TeamStore } from './team-store.ts'

export interface ManageMembersDeps {
  readonly store: TeamStore
  readonly clock: Clock
}

/** A member of a higher role is out of reach of those below. Source: decision 0041 (teams and roles). */
const RANK: Readonly<Record<Role, number>> = { owner: 3, admin: 2, billing: 1, member: 1, viewer: 1 }

const ORDER: readonly Role[] = ['owner', 'admin', 'billing', 'member', 'viewer']

/** Whether a member of this role may give or take another. */
export function reaches(role: Role, other: Role): boolean {
  return RANK[role] >= RANK[other]
}

/** A member who acts on others, with the role that they had when they were asked for it. */
export interface Actor extends Pick<Membership, 'teamId' | 'role'> {
  readonly userId: string
}

/** The actor as the write asks for them: in a role that may manage members, and reaches all of these. */
export function actingOn({ teamId, userId }: Actor, ...others: readonly Role[]): ActingMember {
  const roles = rolesWith('members:manage').filter((role) => others.every((other) => reaches(role, other)))
  return { teamId, userId, roles }
}

/** Owners first, then by role, then by the time of joining. */
export async function listMembers({ store }: Pick<ManageMembersDeps, 'store'>, teamId: string) {
  const members = await store.listMembers(teamId)
  return members.toSorted((one, other) => ORDER.indexOf(one.role) - ORDER.indexOf(other.role))
}

/**
 * Gives a member another role.
 *
 * @throws {ServiceError} `member_not_found`; `role_denied` for roles above one's own; `last_owner`.
 */
export async function changeRole(
  deps: ManageMembersDeps,
  actor: Actor,
  change: { readonly userId: string; readonly role: Role },
): Promise<void> {
  const member = await findMember(deps, actor.teamId, change.userId)
  requireReach(actor.role, member.role)
  requireReach(actor.role, change.role)
  if (member.role === change.role) return
  const { teamId } = actor
  const { userId, role: to } = change
  const by = actingOn(actor, member.role, to)
  if (!(await deps.store.setRole({ teamId, userId, from: member.role, to, now: deps.clock.now(), by }))) {
    throw await refusal(deps, by)
  }
}

/**
 * Takes a member out of a team. Their own keys there end in the same transaction; keys that they have seen end at once,
 * or after the team's overlap.
 *
 * @throws {ServiceError} `member_not_found`; `role_denied` for roles above one's own; `last_owner`.
 */
export async function removeMember(
  deps: ManageMembersDeps,
  actor: Actor,
  removed: { readonly userId: string; readonly keys: 'revoke' | 'keep' },
): Promise<void> {
  const { teamId } = actor
  const { userId, keys } = removed
  const { role: from } = await findMember(deps, teamId, userId)
  requireReach(actor.role, from)
  const by = actingOn(actor, from)
  if (!(await deps.store.removeMember({ teamId, userId, from, keys, now: deps.clock.now(), by }))) {
    throw await refusal(deps, by)
  }
}

/**
 * Leaves a team. The person's own keys there end in the same transaction; keys that they have seen, after the team's
 * overlap.
 *
 * @throws {ServiceError} `last_owner`.
 */
export async function leaveTeam(
  deps: ManageMembersDeps,
  { teamId, role: from }: Pick<Membership, 'teamId' | 'role'>,
  userId: string,
): Promise<void> {
  if (!(await deps.store.removeMember({ teamId, userId, from, now: deps.clock.now() }))) throw lastOwner()
}

async function findMember({ store }: ManageMembersDeps, teamId: string, userId: string): Promise<Member> {
  const member = (await store.listMembers(teamId)).find((each) => each.userId === userId)
  if (member !== undefined) return member
  throw new ServiceError('member_not_found', 'No member with this id is in the team.', { param: 'user_id' })
}

function requireReach(role: Role, other: Role): void {
  if (reaches(role, other)) return
  throw new ServiceError('role_denied', `The role ${role} may not give or take the role ${other}. Ask an owner.`)
}

/** Why nothing was written: the actor's own role was taken meanwhile, or an owner must stay. */
async function refusal({ store }: ManageMembersDeps, { teamId, userId, roles }: ActingMember): Promise<ServiceError> {
  const actor = await store.findMembership(userId, teamId)
  return actor !== null && roles.includes(actor.role) ? lastOwner() : roleLost()
}

function lastOwner(): ServiceError {
  const message =
    'The team needs an owner, and the person whom it was made for stays in it. Make another member an owner first.'
  return new ServiceError('last_owner', message)
}
