import { consoleEndpoints, type ConsoleSession, type ConsoleTeam, type TeamPermission } from '@svc/contract'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { consoleApi } from './client.ts'
import { endedSession } from './ended-session.ts'

const SESSION = ['session'] as const

/**
 * Who is signed in, and what the gateway offers. A session that has ended meanwhile leaves the person as they were
 * known: their page stays, and asks them to sign in.
 */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: async ({ signal, client }): Promise<ConsoleSession> => {
    const found = await consoleApi.call(consoleEndpoints.getConsoleSession, {}, { signal })
    const known = client.getQueryData<ConsoleSession>(SESSION)
    if (found.user !== null || known == null || known.user === null) return found
    endedSession.set('ended')
    return known
  },
  staleTime: 60_000,
})

export function useSession(): ConsoleSession {
  return useSuspenseQuery(sessionQuery).data
}

export interface SignedIn {
  readonly gateway: ConsoleSession['gateway']
  readonly user: NonNullable<ConsoleSession['user']>
  readonly teams: ConsoleSession['teams']
}

/** For pages behind the sign-in. @throws without a session, which the route has ruled out. */
export function useSignedIn(): SignedIn {
  const { user, ...rest } = useSession()
  if (user === null) throw new Error('You are not signed in.')
  return { user, ...rest }
}

const teamRoute = getRouteApi('/signed-in/team/$teamId')

/** The team of the address; null for a person who is not in it. */
export function useOwnTeam(): ConsoleTeam | null {
  const { teamId } = teamRoute.useParams()
  return useSignedIn().teams.find(({ id }) => id === teamId) ?? null
}

/** For the pages of a team. @throws where the person is not in it, which the frame of these pages has ruled out. */
export function useTeam(): ConsoleTeam {
  const team = useOwnTeam()
  if (team === null) throw new Error('The address names no team of this person.')
  return team
}

/** Whether the person's role in this team allows something; pages show only what can be done. */
export function useCan(permission: TeamPermission): boolean {
  return useTeam().permissions.includes(permission)
}
