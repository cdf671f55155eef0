import {
  type Exact,
  formatCredits,
  nanocreditsFrom,
  nanocreditsOf,
  type TeamUsageDays,
  type UsageListReply,
} from '@svc/contract'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { type ComponentProps, Suspense } from 'react'
import { useCan, useTeam } from '../../api/session.ts'
import { usageDaysQuery, usageFileAddress, usageQuery } from '../../api/team.ts'
import type { UsageMeasure, UsageSearch } from '../../app/search.ts'
import { type UsageSpan, spanOf } from './usage-span.ts'
import { buttonLook } from '../../ui/button.tsx'
import { countText } from '../../ui/count-text.ts'
import { Credits } from '../../ui/credits.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { Card, Empty, Page } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { textLink } from '../../ui/text-link.ts'
import { SavedViews } from './saved-views.tsx'
import type { TimingCharts as Timings } from './timing-charts.tsx'
import { UsageChart } from './usage-chart.tsx'
import { UsageDaysTable } from './usage-days-table.tsx'
import { UsageFilters } from './usage-filters.tsx'
import { sumDays } from './usage-series.ts'
import { STATUS_TEXTS } from './usage-status.tsx'
import { UsageTable } from './usage-table.tsx'

const route = getRouteApi('/signed-in/team/$teamId/usage')
const DAYS_DEFAULT = 30

/** Seen by who asks for them. */
const TimingCharts = lazyPart<ComponentProps<typeof Timings>>(
  async () => (await import('./timing-charts.tsx')).TimingCharts,
)
/** How often what is new is looked for. */
const LIVE_MS = 5_000
const CHART_MS = 15_000

export function UsagePage() {
  const team = useTeam()
  const address = route.useSearch()
  const search: UsageSearch = address.from === undefined ? { ...address, days: address.days ?? DAYS_DEFAULT } : address
  const span = spanOf(search, Date.now())
  // Older pages stay as they are while they are read.
  const refetchInterval = address.after === undefined ? LIVE_MS : false
  const page = useSuspenseQuery({ ...usageQuery(team.id, search, { span }), refetchInterval }).data
  const days = useSuspenseQuery({ ...usageDaysQuery(team.id, search), refetchInterval: CHART_MS }).data
  const sum = sumOf(page.totals, days, address)
  const models = useModelsOf(team.id, search)
  const canSeeAll = useCan('usage:all')
  const isFiltered = [address.model, address.type, address.key, address.status].some((each) => each !== undefined)
  return (
    <Page
      title="Usage"
      lead={
        canSeeAll ? 'Every request of this team, and what it cost.' : 'The requests of your keys, and what they cost.'
      }
      actions={
        <a href={usageFileAddress(team.id, search, span)} download className={buttonLook('secondary')}>
          <Download size={14} aria-hidden />
          Export CSV
        </a>
      }
    >
      <div className="flex flex-col gap-5">
        <UsageFilters search={search} span={span} models={models} records={page.data} />
        <SavedViews search={address} />
        {sum.requests === 0 && page.data.length === 0 ? (
          <Empty
            text={isFiltered ? 'No request matches these filters.' : 'There was no request in this time.'}
            action={
              isFiltered ? (
                <Link to="/team/$teamId/usage" params={{ teamId: team.id }} className={buttonLook('secondary')}>
                  Remove the filters
                </Link>
              ) : (
                <Link to="/team/$teamId/playground" params={{ teamId: team.id }} className={buttonLook('secondary')}>
                  Try one in the playground
                </Link>
              )
            }
          />
        ) : (
          <>
            <Card>
              <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
                <div>
                  <h2 className="text-2xl leading-8 font-semibold tracking-tight">
                    <Credits value={formatCredits(nanocreditsOf(sum.credits))} withUsd />
                  </h2>
                  <p className="text-soft">
                    {countText(sum.requests, 'request')}, {countText(sum.tokens, 'token')}
                  </p>
                </div>
                {address.status === undefined && <ChartSwitches search={address} />}
              </div>
              {address.status === undefined ? (
                <Charts days={days} span={span} search={address} />
              ) : (
                <p className="text-soft">
                  Of requests that are {STATUS_TEXTS[address.status]}. The chart shows all requests alone.
                </p>
              )}
            </Card>
            <UsageTable records={page.data} search={address} />
            <Paging search={address} hasMore={page.has_more} lastId={page.last_id} />
          </>
        )}
      </div>
      <Outlet />
    </Page>
  )
}

interface ChartsProps {
  readonly days: Exact<TeamUsageDays>
  readonly span: UsageSpan
  readonly search: UsageSearch
}

type Counted = Extract<UsageMeasure, 'credits' | 'requests' | 'tokens'>
const isCounted = (measure: UsageMeasure): measure is Counted =>
  measure === 'credits' || measure === 'requests' || measure === 'tokens'

function Charts({ days, span, search }: ChartsProps) {
  const { view, show = 'credits' } = search
  if (view === 'table') return <UsageDaysTable days={days} />
  if (isCounted(show)) return <UsageChart days={days} measure={show} />
  return (
    <Suspense fallback={<Skeleton className="h-72 w-full" />}>
      <TimingCharts span={span} search={search} measure={show} />
    </Suspense>
  )
}

/** Of the chart; of the list where it is narrowed by what the chart does not know. */
function sumOf(totals: Exact<UsageListReply>['totals'], days: Exact<TeamUsageDays>, { status }: UsageSearch) {
  if (status === undefined) return sumDays(days)
  const { requests, credits_charged: credits, prompt_tokens: input, completion_tokens: output } = totals
  return { requests, tokens: input + output, credits: nanocreditsFrom(credits) }
}

/** The models that were used in this time, by whichever key. */
function useModelsOf(teamId: string, { days, from, to, zone }: UsageSearch): readonly string[] {
  const span = Object.fromEntries(Object.entries({ days, from, to, zone }).filter(([, value]) => value !== undefined))
  const { data } = useQuery(usageDaysQuery(teamId, span))
  return [...new Set(data?.data.map(({ group }) => group))].toSorted()
}

const GROUPINGS = [
  { value: 'model', text: 'By model' },
  { value: 'key', text: 'By key' },
  { value: 'person', text: 'By person' },
  { value: 'type', text: 'By kind' },
] as const

/** Of what is measured, a whole is no sum of its parts. */
const TIMING_GROUPINGS = [
  { value: 'all', text: 'All' },
  { value: 'model', text: 'By model' },
  { value: 'key', text: 'By key' },
] as const

const MEASURES = [
  { value: 'credits', text: 'Credits' },
  { value: 'requests', text: 'Requests' },
  { value: 'tokens', text: 'Tokens' },
  { value: 'first', text: 'First token' },
  { value: 'latency', text: 'Latency' },
  { value: 'speed', text: 'Speed' },
  { value: 'errors', text: 'Errors' },
] as const

const VIEWS = [
  { value: 'chart', text: 'Chart' },
  { value: 'table', text: 'Table' },
] as const

/** What the chart shows, what that is divided by, and whether its figures are shown in rows. */
function ChartSwitches({ search }: { readonly search: UsageSearch }) {
  const navigate = route.useNavigate()
  const { view, by, show = 'credits' } = search
  const set = (change: { readonly [Name in 'view' | 'by' | 'show']?: UsageSearch[Name] | undefined }): void => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined)
    void navigate({ to: '.', search: Object.fromEntries(next), resetScroll: false, replace: true })
  }
  const isCount = isCounted(show)
  return (
    <div className="flex flex-wrap gap-2">
      {view !== 'table' && (
        <Segments
          label="Figure"
          value={show}
          options={MEASURES}
          onPick={(next) =>
            set({
              show: next === 'credits' ? undefined : next,
              ...(isCounted(next) === isCount ? {} : { by: undefined }),
            })
          }
        />
      )}
      {(view === 'table' || isCount) && (
        <Segments
          label="Divide"
          value={by ?? 'model'}
          options={GROUPINGS}
          onPick={(next) => set({ by: next === 'model' ? undefined : next })}
        />
      )}
      {view !== 'table' && !isCount && show !== 'errors' && (
        <Segments
          label="Divide"
          value={by === 'model' || by === 'key' ? by : 'all'}
          options={TIMING_GROUPINGS}
          onPick={(next) => set({ by: next === 'all' ? undefined : next })}
        />
      )}
      {isCount && (
        <Segments
          label="Show as"
          value={view ?? 'chart'}
          options={VIEWS}
          onPick={(next) => set({ view: next === 'chart' ? undefined : next })}
        />
      )}
    </div>
  )
}

interface PagingProps {
  readonly search: UsageSearch
  readonly hasMore: boolean
  readonly lastId: string | null
}

function Paging({ search, hasMore, lastId }: PagingProps) {
  const team = useTeam()
  const { after, ...rest } = search
  return (
    <div className="flex justify-between">
      {after === undefined ? (
        <span />
      ) : (
        <Link to="/team/$teamId/usage" params={{ teamId: team.id }} search={rest} className={textLink}>
          Newest requests
        </Link>
      )}
      {hasMore && lastId !== null && (
        <Link
          to="/team/$teamId/usage"
          params={{ teamId: team.id }}
          search={{ ...rest, after: lastId }}
          className={textLink}
        >
          Older requests
        </Link>
      )}
    </div>
  )
}
