/** What the pages of a team ask for. Keys begin with the team, so that another team's answers are never shown. */
import { consoleEndpoints, endpoints } from '@svc/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { UsageSearch } from '../app/search.ts'
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

/** When requests began, in seconds since the epoch; null leaves the end open. */
interface Span {
  readonly from: number
  readonly to: number | null
}

const DAY_SECONDS = 86_400

/** The UTC days up to today: the same the whole day through. */
function lastDays(days: number): Span {
  return { from: (Math.floor(Date.now() / 1_000 / DAY_SECONDS) - days + 1) * DAY_SECONDS, to: null }
}

/** The filters of an address, as the gateway takes them. @param span goes before the days of the address. */
export function usageFilters({ model, type, status, key, days }: UsageSearch, span?: Span) {
  const chosen = span ?? (days === undefined ? null : lastDays(days))
  return {
    ...(chosen === null ? {} : { from: String(chosen.from) }),
    ...(chosen === null || chosen.to === null ? {} : { to: String(chosen.to) }),
    ...(model === undefined ? {} : { model }),
    ...(type === undefined ? {} : { type }),
    ...(status === undefined ? {} : { status }),
    ...(key === undefined ? {} : { key }),
  }
}

interface UsagePart {
  readonly limit?: number
  readonly span?: Span
}

export const usageQuery = (teamId: string, search: UsageSearch, { limit = USAGE_ROWS, span }: UsagePart = {}) =>
  queryOptions({
    queryKey: ['team', teamId, 'usage', { ...search, view: null, by: null, show: null }, limit],
    queryFn: ({ signal }) => {
      const page = search.after === undefined ? { limit } : { limit, after: search.after }
      return consoleApi.call(
        consoleEndpoints.listTeamUsage,
        { path: { team_id: teamId }, query: { ...usageFilters(search, span), ...page } },
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
export function usageFileAddress(teamId: string, search: UsageSearch, span?: Span): string {
  const filters = new URLSearchParams(usageFilters(search, span))
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
