/** The two routes that all pages behind the sign-in are under. */
import { createRoute, Outlet, redirect } from '@tanstack/react-router'
import { queryClient } from '../api/query-client.ts'
import { sessionQuery } from '../api/session.ts'
import { root } from './gates.tsx'
import { TeamFrame } from './team-frame.tsx'

/** Everything behind the sign-in. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery)
    if (session.user === null) redirect({ to: '/sign-in', search: { next: `/console${location.href}` }, throw: true })
    return { teams: session.teams }
  },
  component: Outlet,
})

export const team = createRoute({
  getParentRoute: () => signedIn,
  path: '/team/$teamId',
  component: TeamFrame,
})
