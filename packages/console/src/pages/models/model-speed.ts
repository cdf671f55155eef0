import { consoleEndpoints } from '@svc/contract'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { consoleApi } from '../../api/client.ts'
import type { Speed } from './model-list.ts'

const MINUTE_MS = 60_000
/** The list of models waits no longer for what was measured of them, in milliseconds. */
const WAIT_MS = 2_500

/** Never fails: what was measured is no reason to show no models. */
async function readSpeeds(signal: AbortSignal): Promise<readonly Speed[]> {
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
    const { data } = await consoleApi.call(consoleEndpoints.listModelSpeeds, { query: { days: 7 } }, { signal: inTime })
    return data
  } catch {
    return []
  }
}

/** Asked for beside the list of models, before it is there. */
export const speedsQuery = queryOptions({
  queryKey: ['model-speeds'],
  queryFn: ({ signal }) => readSpeeds(signal),
  staleTime: MINUTE_MS,
})

const byModel = (speeds: readonly Speed[]): ReadonlyMap<string, Speed> =>
  new Map(speeds.map((speed) => [speed.model, speed]))

/** What was measured of each model in the last days; with the list, so that nothing of the page moves later. */
export function useSpeeds(): ReadonlyMap<string, Speed> {
  return useSuspenseQuery({ ...speedsQuery, select: byModel }).data
}
