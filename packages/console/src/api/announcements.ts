import { consoleEndpoints } from '@svc/contract'
import { queryOptions } from '@tanstack/react-query'
import { consoleApi } from './client.ts'

/** How often a page that is open looks for new ones, in milliseconds. */
const LOOK_MS = 120_000

/** What operators tell everybody now. */
export const announcementsQuery = queryOptions({
  queryKey: ['announcements'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listAnnouncements, {}, { signal }),
  staleTime: LOOK_MS / 2,
  refetchInterval: LOOK_MS,
})
