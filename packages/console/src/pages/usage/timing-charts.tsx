import { consoleEndpoints } from '@svc/contract'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { consoleApi } from '../../api/client.ts'
import { useTeam } from '../../api/session.ts'
import type { UsageMeasure, UsageSearch } from '../../app/search.ts'
import { Failure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { LineChart } from './line-chart.tsx'
import { failuresOf, linesOf, slotsOf } from './timing-series.ts'
import { UsageChart } from './usage-chart.tsx'
import type { UsageSpan } from './usage-span.ts'

interface TimingChartsProps {
  readonly span: UsageSpan
  readonly search: UsageSearch
  readonly measure: Exclude<UsageMeasure, 'credits' | 'requests' | 'tokens'>
}

const LIVE_MS = 15_000
const HOUR_S = 3_600

const timingsQuery = (teamId: string, span: UsageSpan, { model, key, by }: UsageSearch) => {
  const group = by === 'key' ? ('key' as const) : by === 'model' ? ('model' as const) : ('all' as const)
  const step = span.step
  return queryOptions({
    queryKey: ['team', teamId, 'usage-timings', { ...span, model, key, group }],
    queryFn: ({ signal }) => {
      const to = span.to ?? Math.ceil(Date.now() / 1_000 / HOUR_S) * HOUR_S
      const filters = { ...(model === undefined ? {} : { model }), ...(key === undefined ? {} : { key }) }
      const query = { from: span.from, to, step, by: group, ...filters }
      return consoleApi.call(consoleEndpoints.listTeamTimings, { path: { team_id: teamId }, query }, { signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  })
}

const TITLES = {
  latency: 'Time of a whole answer',
  first: 'Time to the first token of a stream',
  speed: 'Output tokens a second',
} as const

const withoutGroups = ({ by: _by, ...search }: UsageSearch): UsageSearch => search

const secondsText = (ms: number): string => `${ms < 10_000 ? Math.round(ms / 10) / 100 : Math.round(ms / 1_000)} s`

/** How long requests took and how many failed, as the gateway measured them. */
export function TimingCharts({ span, search, measure }: TimingChartsProps) {
  const team = useTeam()
  // A failure has no group: it is shown with its kind.
  const { data, error } = useQuery(timingsQuery(team.id, span, measure === 'errors' ? withoutGroups(search) : search))
  if (error !== null) return <Failure error={error} />
  if (data === undefined) return <Skeleton className="h-64 w-full" />
  if (data.data.length === 0) {
    return <p className="py-10 text-center text-soft">Nothing was measured in this time. Requests are, from now on.</p>
  }
  if (measure === 'errors') return <UsageChart days={failuresOf(data.data, span)} measure="errors" />
  const slots = slotsOf(data.data, span)
  const format = new Intl.DateTimeFormat(undefined, {
    timeZone: span.timeZone,
    ...(span.step === 'hour' ? { dateStyle: 'medium', timeStyle: 'short' } : { dateStyle: 'medium' }),
  })
  return (
    <LineChart
      title={TITLES[measure]}
      lines={linesOf(data.data, slots, measure)}
      textOf={measure === 'speed' ? (value) => String(Math.round(value)) : secondsText}
      slotName={(at) => format.format((slots.start + at * slots.length) * 1_000)}
      count={slots.count}
    />
  )
}
