/** What the operator's pages ask for about single requests, and about what the gateway earns. */
import { consoleEndpoints, type Exact, type OperatorRequest } from '@svc/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { EarningsSearch } from '../app/operator-search.ts'
import { consoleApi } from './client.ts'
import { OPERATOR } from './operator.ts'

/** One request with all that is known of it. */
export type FoundRequest = Exact<OperatorRequest>

export const operatorRequestQuery = (requestId: string) =>
  queryOptions({
    queryKey: [OPERATOR, 'request', requestId],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getOperatorRequest, { path: { request_id: requestId } }, { signal }),
  })

const DAY_SECONDS = 86_400

/** A span as the gateway takes it: whole UTC days, the last one in. */
function spanOf({ days = 7, from, to }: EarningsSearch): { from: string; to?: string } {
  if (from !== undefined && to !== undefined) {
    return { from, to: String(Date.parse(to) / 1_000 + DAY_SECONDS) }
  }
  const today = Math.floor(Date.now() / 1_000 / DAY_SECONDS)
  return { from: String((today - days + 1) * DAY_SECONDS) }
}

export const earningsQuery = (search: EarningsSearch) =>
  queryOptions({
    queryKey: [OPERATOR, 'earnings', search],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getOperatorOverview, { query: spanOf(search) }, { signal }),
    placeholderData: keepPreviousData,
  })

/** How often it is looked whether a run has ended. */
const LOOK_MS = 1_000

export const reconciliationsQuery = queryOptions({
  queryKey: [OPERATOR, 'reconciliations'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listReconciliations, {}, { signal }),
  refetchInterval: ({ state }) => (state.data?.data.some((run) => run.ended_at === null) === true ? LOOK_MS : false),
})

export const reconciliationQuery = (runId: string) =>
  queryOptions({
    queryKey: [OPERATOR, 'reconciliation', runId],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getReconciliation, { path: { run_id: runId } }, { signal }),
    staleTime: Infinity,
  })
