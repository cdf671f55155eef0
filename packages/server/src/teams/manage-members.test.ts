import { expect, test } from 'vitest'
import { leaveTeam, type ManageMembersDeps, removeMember } from './manage-members.ts'
import type { Role } from './permissions.ts'
import type { RoleChange, TeamStore } from './team-store.ts'

/** A team of two in memory, whose keys cannot be revoked as long as `isBroken`. */
function openTeam() {
  const roles = new Map<string, Role>([
    ['ann', 'owner'],
    ['bob', 'owner'],
  ])
  const state = { isBroken: true, revoked: [] as string[], roles }
  const store: Pick<TeamStore, 'listMembers' | 'setRole' | 'removeMember'> = {
    listMembers: async () =>
      [...roles].map(([userId, role]) => ({ userId, role, name: userId, email: `${userId}@example.com`, joinedAt: 0 })),
    setRole: async ({ userId, from, to }: RoleChange) => roles.get(userId) === from && roles.set(userId, to) !== null,
    removeMember: async ({ userId, from }) => roles.get(userId) === from && roles.delete(userId),
  }
  const keys = {
    revokeAllOf: async ({ userId }: { userId: string }) => {
      if (state.isBroken) throw new Error('the process is gone')
      state.revoked.push(userId)
    },
  }
  const deps: ManageMembersDeps = { store: store as TeamStore, keys, clock: { now: () => 0 } }
  return { deps, state }
}

const team = { teamId: 'team', role: 'owner' } as const

test('a death while a member is taken out leaves one who can be taken out again, and no key of nobody', async () => {
  for (const takeOut of [
    ({ deps }: ReturnType<typeof openTeam>) => removeMember(deps, team, { userId: 'bob', keys: 'revoke' }),
    ({ deps, state }: ReturnType<typeof openTeam>) =>
      leaveTeam(deps, { ...team, role: state.roles.get('bob') ?? 'viewer' }, 'bob'),
  ]) {
    const scene = openTeam()
    await expect(takeOut(scene)).rejects.toThrow('the process is gone')
    expect([...scene.state.roles.keys()]).toEqual(['ann', 'bob'])
    scene.state.isBroken = false
    await takeOut(scene)
    expect([...scene.state.roles.keys()]).toEqual(['ann'])
    expect(scene.state.revoked).toContain('bob')
  }
})
