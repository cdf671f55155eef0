import { consoleEndpoints } from '@svc/contract'
import { queryOptions } from '@tanstack/react-query'
import { consoleApi } from './client.ts'

/** Teams that ask for the person who is signed in. */
export const ownInvitationsQuery = queryOptions({
  queryKey: ['own-invitations'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listOwnInvitations, {}, { signal }),
  staleTime: 120_000,
})
