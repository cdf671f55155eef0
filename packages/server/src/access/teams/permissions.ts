/**
 * Room `teams`: people, the teams that share one credit pool, and what each role may do there. Every check of the
 * console asks this table; nothing else decides. Source: decision 0041 (teams and roles).
 */
import { teamPermissions, type TeamPermission, type TeamRole, teamRoles } from '@svc/contract'

export type Role = TeamRole
export type Permission = TeamPermission

const TABLE: Readonly<Record<Role, readonly Permission[]>> = {
  owner: teamPermissions,
  admin: [
    ...(['team:read', 'team:manage', 'members:manage', 'keys:own', 'keys:all'] as const),
    ...(['usage:own', 'usage:all', 'deposits:manage', 'play'] as const),
  ],
  billing: ['team:read', 'usage:own', 'usage:all', 'deposits:manage'],
  member: ['team:read', 'keys:own', 'usage:own', 'play'],
  viewer: ['team:read', 'usage:own', 'usage:all'],
}

export function can(role: Role, permission: Permission): boolean {
  return TABLE[role].includes(permission)
}

export function rolesWith(permission: Permission): readonly Role[] {
  return teamRoles.filter((role) => can(role, permission))
}

export function permissionsOf(role: Role): readonly Permission[] {
  return TABLE[role]
}
