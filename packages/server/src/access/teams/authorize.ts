import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Membership } from './membership.ts'
import { can, type Permission } from './permissions.ts'
import type { TeamStore } from './team-store.ts'

/**
 * Finds what a person is in a team, and refuses what their role may not do. Read from the rows at every call: a role
 * that was taken away ends at once.
 *
 * @throws {ServiceError} 404 when the person is no member: a stranger does not learn that it exists;
 *   403 when the role does not reach.
 */
export async function authorize(
  store: Pick<TeamStore, 'findMembership'>,
  userId: string,
  teamId: string,
  permission: Permission,
): Promise<Membership> {
  const membership = await store.findMembership(userId, teamId)
  if (membership === null) throw new ServiceError('team_not_found', 'There is no such team.', { param: 'team_id' })
  if (!can(membership.role, permission)) {
    throw new ServiceError('role_denied', `The role ${membership.role} may not do this. Ask an owner of the team.`)
  }
  return membership
}
