import { consoleEndpoints } from '@svc/contract'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { consoleApi } from '../../api/client.ts'
import { useTeam } from '../../api/session.ts'
import type { UsageMeasure, UsageSearch } from '../../app/search.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Empty } from '../../ui/page.tsx'
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

/** Of requests that have none: an answer in one piece has no first token. */
const NOT_MEASURED = {
  first: 'No request of this time was streamed, so none has a first token.',
  latency: 'No request of this time has ended.',
  speed: 'No request of this time has made tokens one after the other.',
} as const

/** How long requests took and how many failed, as the gateway measured them. */
export function TimingCharts({ span, search, measure }: TimingChartsProps) {
  const team = useTeam()
  // A failure has no group: it is shown with its kind.
  const { data, error } = useQuery(timingsQuery(team.id, span, measure === 'errors' ? withoutGroups(search) : search))
  if (error !== null) return <Failure error={error} />
  if (data === undefined) return <Skeleton className="h-64 w-full" />
  const nothing = (text: string) => (
    <Empty
      text={text}
      action={
        <Link to="/team/$teamId/playground" params={{ teamId: team.id }} className={buttonLook('secondary')}>
          Make one in the playground
        </Link>
      }
    />
  )
  if (data.data.length === 0) return nothing('Nothing was measured in this time. Requests are, from now on.')
  if (measure === 'errors') return <UsageChart days={failuresOf(data.data, span)} measure="errors" />
  const slots = slotsOf(data.data, span)
  const lines = linesOf(data.data, slots, measure)
  if (lines.every(({ points }) => points.every((point) => point === null))) {
    return nothing(NOT_MEASURED[measure])
  }
  const format = new Intl.DateTimeFormat(undefined, {
    timeZone: span.timeZone,
    ...(span.step === 'hour' ? { dateStyle: 'medium', timeStyle: 'short' } : { dateStyle: 'medium' }),
  })
  return (
    <LineChart
      title={TITLES[measure]}
      lines={lines}
      textOf={measure === 'speed' ? (value) => String(Math.round(value)) : secondsText}
      slotName={(at) => format.format((slots.start + at * slots.length) * 1_000)}
      count={slots.count}
    />
  )
}
