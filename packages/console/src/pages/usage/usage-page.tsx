import {
  type Exact,
  formatCredits,
  nanocreditsFrom,
  nanocreditsOf,
  type TeamUsageDays,
  type TeamUsageRecord,
  type UsageListReply,
  usageStatuses,
  usageTypes,
} from '@svc/contract'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useCan, useTeam } from '../../api/session.ts'
import { keysQuery, usageDaysQuery, usageFileAddress, usageQuery } from '../../api/team.ts'
import { USAGE_SPANS, type UsageSearch } from '../../app/search.ts'
import { buttonLook } from '../../ui/button.tsx'
import { countText } from '../../ui/count-text.ts'
import { Credits } from '../../ui/credits.tsx'
import { Card, Empty, Page } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { textLink } from '../../ui/text-link.ts'
import { UsageChart } from './usage-chart.tsx'
import { UsageDaysTable } from './usage-days-table.tsx'
import { sumDays } from './usage-series.ts'
import { STATUS_TEXTS } from './usage-status.tsx'
import { UsageTable } from './usage-table.tsx'

const route = getRouteApi('/signed-in/team/$teamId/usage')
const DAYS_DEFAULT = 30
/** How often what is new is looked for. */
const LIVE_MS = 5_000
const CHART_MS = 15_000

export function UsagePage() {
  const team = useTeam()
  const address = route.useSearch()
  const search: UsageSearch = { ...address, days: address.days ?? DAYS_DEFAULT }
  // Older pages stay as they are while they are read.
  const refetchInterval = address.after === undefined ? LIVE_MS : false
  const page = useSuspenseQuery({ ...usageQuery(team.id, search), refetchInterval }).data
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
        <a href={usageFileAddress(team.id, search)} download className={buttonLook('secondary')}>
          <Download size={14} aria-hidden />
          Export CSV
        </a>
      }
    >
      <div className="flex flex-col gap-5">
        <Filters search={search} models={models} records={page.data} />
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
                  <h2 className="text-xl leading-7 font-semibold">
                    <Credits value={formatCredits(nanocreditsOf(sum.credits))} withUsd />
                  </h2>
                  <p className="text-soft">
                    {countText(sum.requests, 'request')}, {countText(sum.tokens, 'token')}
                  </p>
                </div>
                {address.status === undefined && <ChartSwitches search={address} />}
              </div>
              {address.status === undefined ? (
                <Days days={days} search={address} />
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

function Days({ days, search }: { readonly days: Exact<TeamUsageDays>; readonly search: UsageSearch }) {
  if (search.view === 'table') return <UsageDaysTable days={days} />
  return <UsageChart days={days} {...(search.show === undefined ? {} : { measure: search.show })} />
}

/** Of the chart; of the list where it is narrowed by what the chart does not know. */
function sumOf(totals: Exact<UsageListReply>['totals'], days: Exact<TeamUsageDays>, { status }: UsageSearch) {
  if (status === undefined) return sumDays(days)
  const { requests, credits_charged: credits, prompt_tokens: input, completion_tokens: output } = totals
  return { requests, tokens: input + output, credits: nanocreditsFrom(credits) }
}

/** The models that were used in this time, by whichever key. */
function useModelsOf(teamId: string, { days }: UsageSearch): readonly string[] {
  const { data } = useQuery(usageDaysQuery(teamId, days === undefined ? {} : { days }))
  return [...new Set(data?.data.map(({ group }) => group))].toSorted()
}

const GROUPINGS = [
  { value: 'model', text: 'By model' },
  { value: 'key', text: 'By key' },
  { value: 'type', text: 'By kind' },
] as const

const MEASURES = [
  { value: 'credits', text: 'Credits' },
  { value: 'requests', text: 'Requests' },
  { value: 'tokens', text: 'Tokens' },
] as const

const VIEWS = [
  { value: 'chart', text: 'Chart' },
  { value: 'table', text: 'Table' },
] as const

/** What the chart is divided by, and whether its figures are shown in rows. */
function ChartSwitches({ search }: { readonly search: UsageSearch }) {
  const navigate = route.useNavigate()
  const { view, by, show, ...rest } = search
  const go = (next: UsageSearch): void => void navigate({ to: '.', search: next, resetScroll: false, replace: true })
  const inView = view === undefined ? {} : { view }
  const inGroups = by === undefined ? {} : { by }
  const ofFigure = show === undefined ? {} : { show }
  return (
    <div className="flex flex-wrap gap-2">
      {view !== 'table' && (
        <Segments
          label="Figure"
          value={show ?? 'credits'}
          options={MEASURES}
          onPick={(next) => go({ ...rest, ...inGroups, ...(next === 'credits' ? {} : { show: next }) })}
        />
      )}
      <Segments
        label="Divide"
        value={by ?? 'model'}
        options={GROUPINGS}
        onPick={(next) => go({ ...rest, ...inView, ...ofFigure, ...(next === 'model' ? {} : { by: next }) })}
      />
      <Segments
        label="Show as"
        value={view ?? 'chart'}
        options={VIEWS}
        onPick={(next) => go({ ...rest, ...inGroups, ...ofFigure, ...(next === 'chart' ? {} : { view: next }) })}
      />
    </div>
  )
}

/** Means all keys that the playground has had. */
const PLAYGROUND = 'playground'

interface FiltersProps {
  readonly search: UsageSearch
  readonly models: readonly string[]
  /** They name a key that is not in the list of keys, such as one of the playground. */
  readonly records: readonly Pick<TeamUsageRecord, 'key_id' | 'key_name'>[]
}

function Filters({ search, models, records }: FiltersProps) {
  const team = useTeam()
  const navigate = route.useNavigate()
  const { data: keys } = useQuery({ ...keysQuery(team.id), enabled: useCan('keys:own') })
  // Another filter begins at the newest request again.
  const set = (change: Partial<Record<keyof UsageSearch, unknown>>): void => {
    const { after: _after, ...rest } = search
    void navigate({
      to: '/team/$teamId/usage',
      params: { teamId: team.id },
      search: { ...rest, ...change } as UsageSearch,
      resetScroll: false,
    })
  }
  const listed = (keys?.data ?? []).map(({ id, name, display }) => ({
    value: id,
    text: `${name} (${display.slice(-5)})`,
  }))
  const isListed = search.key === PLAYGROUND || listed.some(({ value }) => value === search.key)
  const other = isListed ? undefined : search.key
  const shownModels = search.model === undefined || models.includes(search.model) ? models : [search.model, ...models]
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
      <SelectField
        label="Time"
        value={String(search.days)}
        options={USAGE_SPANS.map((days) => ({ value: String(days), text: `Last ${days} days` }))}
        onPick={(days) => set({ days: Number(days) })}
      />
      <SelectField
        label="Model"
        value={search.model ?? ''}
        options={[{ value: '', text: 'All models' }, ...shownModels.map((id) => ({ value: id, text: id }))]}
        onPick={(model) => set({ model: model === '' ? undefined : model })}
      />
      <SelectField
        label="Kind"
        value={search.type ?? ''}
        options={[{ value: '', text: 'All kinds' }, ...usageTypes.map((type) => ({ value: type, text: type }))]}
        onPick={(type) => set({ type: type === '' ? undefined : type })}
      />
      <SelectField
        label="Status"
        value={search.status ?? ''}
        options={[
          { value: '', text: 'Any' },
          ...usageStatuses.map((status) => ({ value: status, text: STATUS_TEXTS[status] })),
        ]}
        onPick={(status) => set({ status: status === '' ? undefined : status })}
      />
      <SelectField
        label="Key"
        value={search.key ?? ''}
        options={[
          { value: '', text: 'All keys' },
          { value: PLAYGROUND, text: 'The playground' },
          ...listed,
          ...(other === undefined
            ? []
            : [{ value: other, text: records.find(({ key_id: id }) => id === other)?.key_name ?? other }]),
        ]}
        onPick={(key) => set({ key: key === '' ? undefined : key })}
      />
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
