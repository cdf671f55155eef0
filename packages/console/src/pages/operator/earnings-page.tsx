import type { Exact, OperatorOverview, TeamUsageDays } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { upstreamsQuery } from '../../api/operator.ts'
import { earningsQuery } from '../../api/operator-requests.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Credits, Usd } from '../../ui/credits.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Figure, Figures } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Card, Empty, Page } from '../../ui/page.tsx'
import { UsageChart } from '../usage/usage-chart.tsx'
import { EarningsSpan } from './earnings-span.tsx'
import { EarningsTable, marginText } from './earnings-table.tsx'
import { Reconciliations } from './reconciliations.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'

const route = getRouteApi('/signed-in/team/$teamId/operator/earnings')

/** What the gateway earned and lost, whom by, and whether the upstreams say the same. */
export function EarningsPage() {
  const search = route.useSearch()
  const { data, error } = useQuery(earningsQuery(search))
  return (
    <Page
      title="Earnings"
      lead="In credits: what was charged, what it cost and what was lost, of requests that began in a span of days (UTC)."
    >
      <div className="flex flex-col gap-4">
        <EarningsSpan search={search} />
        <Failure error={error} />
        {data === undefined && error === null && <RowsSkeleton />}
        {data !== undefined && <Results results={data} />}
        <UpstreamHealth />
        <Reconciliations />
      </div>
      <Outlet />
    </Page>
  )
}

type Results = Exact<OperatorOverview>

function Results({ results }: { readonly results: Results }) {
  const { teamId } = route.useParams()
  const { total, days, upstreams, models, accounts, errors } = results
  if (total.requests === 0) {
    return (
      <Empty
        text="No request began in these days."
        action={
          <Link to="/team/$teamId/operator/accounts" params={{ teamId }} className={buttonLook('secondary')}>
            See the accounts
          </Link>
        }
      />
    )
  }
  return (
    <>
      <Card>
        <Figures>
          <Figure name="Charged" note={<Usd value={total.credits_charged} />}>
            <Credits value={total.credits_charged} withUnit={false} />
          </Figure>
          <Figure name="Cost of upstreams" note={<Usd value={total.credits_cost} />}>
            <Credits value={total.credits_cost} withUnit={false} />
          </Figure>
          <Figure name="Left" note={`${marginText(total)} of what was charged`}>
            <Credits value={total.credits_left} withUnit={false} />
          </Figure>
          <Figure name="Written off" note="billed, and no client pays">
            <Credits value={total.credits_written_off} withUnit={false} />
          </Figure>
          <Figure name="Requests" note={`${total.failed.toLocaleString()} failed, and were free`}>
            {total.requests.toLocaleString()}
          </Figure>
        </Figures>
      </Card>
      <Card title="By day">
        <UsageChart days={chartOf(results)} />
        <details className="mt-4">
          <summary className="cursor-pointer py-1 font-medium">As a table</summary>
          <EarningsTable what="Day" rows={days} />
        </details>
      </Card>
      <Card title="Upstreams">
        <EarningsTable what="Upstream" rows={upstreams} />
      </Card>
      <Card title="Models">
        <EarningsTable what="Model" rows={models} />
      </Card>
      <Card title="Accounts">
        <EarningsTable what="Account" rows={accounts} link="account" />
      </Card>
      {errors.length > 0 && (
        <Card title="Errors">
          <EarningsTable what="Code" rows={errors} />
        </Card>
      )}
    </>
  )
}

/** What was left of each day above what it cost; a day that cost more than it brought shows its cost alone. */
function chartOf({ from, to, days }: Results): Exact<TeamUsageDays> {
  const dateOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 10)
  const part = (group: 'cost' | 'left', { name: day, requests, ...row }: Results['days'][number]) => ({
    ...{ day, group, name: group === 'cost' ? 'Cost of upstreams' : 'Left', requests: group === 'cost' ? requests : 0 },
    tokens: 0,
    credits_charged: group === 'cost' ? row.credits_cost : row.credits_left,
  })
  return {
    first_day: dateOf(from),
    last_day: dateOf(to - 1),
    data: days.flatMap((day) => [part('cost', day), ...(day.credits_left.startsWith('-') ? [] : [part('left', day)])]),
  }
}

const TONES = { ok: 'good', degraded: 'careful', down: 'bad', off: 'plain' } as const
const KINDS = ['text', 'image', 'video', 'audio'] as const

function UpstreamHealth() {
  const { data } = useQuery(upstreamsQuery)
  if (data === undefined) return null
  return (
    <Card title="Health now">
      <ul className="flex flex-wrap gap-x-6 gap-y-2">
        {data.upstreams.map(({ name, health }) => (
          <li key={name} className="flex flex-wrap items-center gap-1.5">
            <span className="font-medium">{name}</span>
            {KINDS.map((kind) =>
              health[kind] === 'off' ? null : (
                <Mark key={kind} tone={TONES[health[kind]]}>
                  {kind} {health[kind]}
                </Mark>
              ),
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
