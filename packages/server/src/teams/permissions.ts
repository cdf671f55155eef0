/**
 * Room `teams`: people, the teams that share one credit pool, and what each role may do there. Every check of the
 * console asks this table; nothing else decides. Source: decision 0041 (teams and roles).
 */

export const ROLES = ['owner', 'admin', 'billing', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/** What can be done in a team. */
export const PERMISSIONS = [
  /** See the balance, the team and its members. */
  'team:read',
  /** Rename the team, set its spending cap and its alerts. */
  'team:manage',
  /** Invite, change roles, remove. */
  'members:manage',
  /** Make keys, and see, change and revoke one's own. */
  'keys:own',
  /** See, change and revoke everybody's keys. */
  'keys:all',
  /** See one's own requests. */
  'usage:own',
  /** See everybody's requests, statements and exports. */
  'usage:all',
  /** Deposit addresses, claims, wallets, receipts. */
  'deposits:manage',
  /** Spend credits in the playground. */
  'play',
] as const
export type Permission = (typeof PERMISSIONS)[number]

const TABLE: Readonly<Record<Role, readonly Permission[]>> = {
  owner: PERMISSIONS,
  admin: [
    ...(['team:read', 'team:manage', 'members:manage', 'keys:own', 'keys:all'] as const),
    ...(['usage:own', 'usage:all', 'play'] as const),
  ],
  billing: ['team:read', 'usage:own', 'usage:all', 'deposits:manage'],
  member: ['team:read', 'keys:own', 'usage:own', 'play'],
  viewer: ['team:read', 'usage:own', 'usage:all'],
}

export function can(role: Role, permission: Permission): boolean {
  return TABLE[role].includes(permission)
}

export function permissionsOf(role: Role): readonly Permission[] {
  return TABLE[role]
}
