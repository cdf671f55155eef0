import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { Membership } from './membership.ts'
import type { TeamStore } from './team-store.ts'

/**
 * The teams of a person, oldest first. A person who has none of their own gets one, with an account and no credits;
 * any number of requests at the same time make one. Source: decision 0041 (teams and roles).
 */
export async function teamsOf(
  deps: { readonly store: Pick<TeamStore, 'insert' | 'listMemberships'>; readonly clock: Clock },
  person: { readonly userId: string; readonly name: string },
): Promise<readonly Membership[]> {
  const { store, clock } = deps
  const known = await store.listMemberships(person.userId)
  if (known.some(({ isPersonal }) => isPersonal)) return known
  const now = clock.now()
  await store.insert({
    teamId: createId(now),
    accountId: createId(now),
    name: person.name.slice(0, TEAM_NAME_LENGTH_MAX),
    ownerId: person.userId,
    isPersonal: true,
    createdAt: now,
  })
  return store.listMemberships(person.userId)
}

/** Characters of a team's name at most. Source: decision 0011 (keys), as for the name of a key. */
export const TEAM_NAME_LENGTH_MAX = 64
