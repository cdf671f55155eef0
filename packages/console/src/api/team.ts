/** What the pages of a team ask for. Keys begin with the team, so that another team's answers are never shown. */
import { consoleEndpoints, endpoints } from '@svc/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { UsageSearch } from '../app/search.ts'
import { spanOf } from '../app/usage-span.ts'
import { consoleApi } from './client.ts'

/** Rows of a page of requests. */
export const USAGE_ROWS = 50

export const balanceQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'balance'],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getTeamBalance, { path: { team_id: teamId } }, { signal }),
  })

/** The team's cap and alert. */
export const teamSettingsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'settings'],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getTeamSettings, { path: { team_id: teamId } }, { signal }),
  })

/** How often the team's keys may ask. */
export const teamLimitsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'limits'],
    queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.getTeamLimits, { path: { team_id: teamId } }, { signal }),
  })

/** @param page without a state it is all keys but those of the playground. */
export const keysQuery = (teamId: string, page: KeysPageQuery = {}) =>
  queryOptions({
    queryKey: ['team', teamId, 'keys', page],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.listTeamKeys, { path: { team_id: teamId }, query: page }, { signal }),
  })

interface KeysPageQuery {
  readonly state?: 'active' | 'ended' | 'playground'
  readonly after?: string
}

/** The filters of an address, as the gateway takes them. */
export function usageFilters(search: UsageSearch) {
  const { model, type, status, key, days, from } = search
  const span = days === undefined && from === undefined ? null : spanOf(search, Date.now())
  return {
    ...(span === null ? {} : { from: String(span.from) }),
    ...(span === null || span.to === null ? {} : { to: String(span.to) }),
    ...(model === undefined ? {} : { model }),
    ...(type === undefined ? {} : { type }),
    ...(status === undefined ? {} : { status }),
    ...(key === undefined ? {} : { key }),
  }
}

export const usageQuery = (teamId: string, search: UsageSearch, limit = USAGE_ROWS) =>
  queryOptions({
    queryKey: ['team', teamId, 'usage', { ...search, view: null, by: null, show: null }, limit],
    queryFn: ({ signal }) => {
      const page = search.after === undefined ? { limit } : { limit, after: search.after }
      return consoleApi.call(
        consoleEndpoints.listTeamUsage,
        { path: { team_id: teamId }, query: { ...usageFilters(search), ...page } },
        { signal },
      )
    },
    placeholderData: keepPreviousData,
  })

const ALL_DAYS = 366

export const usageDaysQuery = (
  teamId: string,
  { days = ALL_DAYS, from, to, zone, model, type, key, by }: Omit<UsageSearch, 'days'> & { readonly days?: number },
) =>
  queryOptions({
    queryKey: ['team', teamId, 'usage-days', { days, from, to, zone, model, type, key, by }],
    queryFn: ({ signal }) => {
      const span = from === undefined ? { days } : { from, ...(to === undefined ? {} : { to }) }
      const query = {
        ...span,
        ...(zone === undefined ? {} : { time_zone: zone }),
        ...(by === undefined ? {} : { by }),
        ...(model === undefined ? {} : { model }),
        ...(type === undefined ? {} : { type }),
        ...(key === undefined ? {} : { key }),
      }
      return consoleApi.call(consoleEndpoints.listTeamUsageDays, { path: { team_id: teamId }, query }, { signal })
    },
    placeholderData: keepPreviousData,
  })

/** Where the file of everything that the filters select is fetched. */
export function usageFileAddress(teamId: string, search: UsageSearch): string {
  const filters = new URLSearchParams(usageFilters(search))
  return `/api${consoleEndpoints.exportTeamUsage.path.replace('{team_id}', teamId)}?${filters.toString()}`
}

export const keyQuery = (teamId: string, keyId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'keys', 'one', keyId],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getTeamKey, { path: { team_id: teamId, key_id: keyId } }, { signal }),
  })

export const usageRecordQuery = (teamId: string, requestId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'usage-record', requestId],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getTeamUsage, { path: { team_id: teamId, request_id: requestId } }, { signal }),
  })

/** How the money of one request moved. */
export const usageEntriesQuery = (teamId: string, requestId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'usage-entries', requestId],
    queryFn: ({ signal }) =>
      consoleApi.call(
        consoleEndpoints.getTeamUsageEntries,
        { path: { team_id: teamId, request_id: requestId } },
        { signal },
      ),
  })

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => consoleApi.call(endpoints.listModels, { query: { type: 'all' } }, { signal }),
  staleTime: 300_000,
})
