import { consoleEndpoints } from '@svc/contract'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { consoleApi } from '../../api/client.ts'
import type { Speed } from './model-list.ts'

const MINUTE_MS = 60_000

const speedsQuery = queryOptions({
  queryKey: ['model-speeds'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listModelSpeeds, { query: { days: 7 } }, { signal }),
  staleTime: 5 * MINUTE_MS,
})

const NONE: ReadonlyMap<string, Speed> = new Map()

/** What was measured of each model in the last days; empty until it is known. The pages do not wait for it. */
export function useSpeeds(): ReadonlyMap<string, Speed> {
  const { data } = useQuery({
    ...speedsQuery,
    select: ({ data: speeds }) => new Map(speeds.map((speed) => [speed.model, speed as unknown as Speed])),
  })
  return data ?? NONE
}
