import { usageTypes } from '@svc/contract'
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useCan, useTeam } from '../../api/session.ts'
import { keysQuery, usageDaysQuery, usageQuery } from '../../api/team.ts'
import { USAGE_SPANS, type UsageSearch } from '../../app/search.ts'
import { Button } from '../../ui/button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Card, Empty, Page } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { toast } from '../../ui/toasts.tsx'
import { EXPORT_MAX, exportUsage } from './export-usage.ts'
import { UsageChart, UsageDaysTable } from './usage-days.tsx'
import { UsageTable } from './usage-table.tsx'

const route = getRouteApi('/signed-in/team/$teamId/usage')
const DAYS_DEFAULT = 30

export function UsagePage() {
  const team = useTeam()
  const address = route.useSearch()
  const search: UsageSearch = { ...address, days: address.days ?? DAYS_DEFAULT }
  const page = useSuspenseQuery(usageQuery(team.id, search)).data
  const days = useSuspenseQuery(usageDaysQuery(team.id, search)).data
  const canSeeAll = useCan('usage:all')
  const isFiltered = address.model !== undefined || address.type !== undefined || address.key !== undefined
  return (
    <Page
      title="Usage"
      lead={
        canSeeAll ? 'Every request of this team, and what it cost.' : 'The requests of your keys, and what they cost.'
      }
      actions={<ExportButton search={search} />}
    >
      <div className="flex flex-col gap-5">
        <Filters search={search} models={[...new Set(days.data.map(({ model }) => model))].toSorted()} />
        {page.totals.requests === 0 && page.data.length === 0 ? (
          <Empty
            text={isFiltered ? 'No request matches these filters.' : 'There was no request in this time.'}
            action={
              isFiltered && (
                <Link to="/team/$teamId/usage" params={{ teamId: team.id }} className="text-accent underline">
                  Remove the filters
                </Link>
              )
            }
          />
        ) : (
          <>
            <Card
              title={`${page.totals.requests.toLocaleString()} ${page.totals.requests === 1 ? 'request' : 'requests'}`}
              actions={<Credits value={page.totals.credits_charged} withUsd />}
            >
              {address.view === 'table' ? <UsageDaysTable days={days} /> : <UsageChart days={days} />}
              <div className="mt-3">
                <ViewSwitch search={address} />
              </div>
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

function ViewSwitch({ search }: { readonly search: UsageSearch }) {
  const team = useTeam()
  const { view, ...rest } = search
  return (
    <Link
      to="/team/$teamId/usage"
      params={{ teamId: team.id }}
      search={view === 'table' ? rest : { ...rest, view: 'table' }}
      resetScroll={false}
      className="text-[12px] text-soft underline underline-offset-2 hover:text-text"
    >
      {view === 'table' ? 'Show as a chart' : 'Show as a table'}
    </Link>
  )
}

function Filters({ search, models }: { readonly search: UsageSearch; readonly models: readonly string[] }) {
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
  const shownModels = search.model === undefined || models.includes(search.model) ? models : [search.model, ...models]
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
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
        label="Key"
        value={search.key ?? ''}
        options={[
          { value: '', text: 'All keys' },
          ...(keys?.data ?? []).map(({ id, name, display }) => ({ value: id, text: `${name} (${display.slice(-5)})` })),
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
  const look = 'text-accent underline underline-offset-2'
  return (
    <div className="flex justify-between">
      {after === undefined ? (
        <span />
      ) : (
        <Link to="/team/$teamId/usage" params={{ teamId: team.id }} search={rest} className={look}>
          Newest requests
        </Link>
      )}
      {hasMore && lastId !== null && (
        <Link
          to="/team/$teamId/usage"
          params={{ teamId: team.id }}
          search={{ ...rest, after: lastId }}
          className={look}
        >
          Older requests
        </Link>
      )}
    </div>
  )
}

function ExportButton({ search }: { readonly search: UsageSearch }) {
  const team = useTeam()
  const run = useMutation({
    mutationFn: () => exportUsage(team.id, search),
    onSuccess: ({ csv, isWhole }) => {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }))
      link.download = `usage-${new Date().toISOString().slice(0, 10)}.csv`
      link.click()
      URL.revokeObjectURL(link.href)
      if (!isWhole)
        toast.done(`The file has the newest ${EXPORT_MAX.toLocaleString()} requests; narrow the filters for others.`)
    },
    onError: toast.failure,
  })
  return (
    <Button look="secondary" isBusy={run.isPending} onClick={() => run.mutate()}>
      {!run.isPending && <Download size={14} aria-hidden />}
      Export CSV
    </Button>
  )
}
