/** What the pages about people ask for. */
import { consoleEndpoints } from '@svc/contract'
import { queryOptions } from '@tanstack/react-query'
import { consoleApi } from './client.ts'

const at = (teamId: string) => ({ path: { team_id: teamId } })

export const membersQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'members'],
    queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listTeamMembers, at(teamId), { signal }),
  })

export const invitationsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'invitations'],
    queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listTeamInvitations, at(teamId), { signal }),
  })

export const teamSettingsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'settings'],
    queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.getTeamSettings, at(teamId), { signal }),
  })

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.getAccountWays, {}, { signal }),
})
