import type { Exact, TeamBalance } from '@svc/contract'
import { useSuspenseQueries, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useCan, useTeam } from '../../api/session.ts'
import { balanceQuery, usageDaysQuery, usageQuery } from '../../api/team.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Credits, Usd } from '../../ui/credits.tsx'
import { Figure, Figures } from '../../ui/facts.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { Card, Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { textLink } from '../../ui/text-link.ts'
import { UsageChart } from '../usage/usage-chart.tsx'
import { UsageTable } from '../usage/usage-table.tsx'

/** Seen once by most people: it loads for those who see it. */
const FirstSteps = lazyPart(async () => (await import('./first-steps.tsx')).FirstSteps)

const LAST_CALLS = 6
const SPEND_DAYS = 30
const REFRESH_MS = 15_000
/** While the person waits for their first charge. */
const WATCH_MS = 2_000

export function OverviewPage() {
  const team = useTeam()
  const canMakeKeys = useCan('keys:own')
  const canPay = useCan('deposits:manage')
  const [isNew, setNew] = useState<boolean | null>(null)
  const refetchInterval = isNew === true ? WATCH_MS : REFRESH_MS
  const { data: calls } = useSuspenseQuery({ ...usageQuery(team.id, {}, { limit: LAST_CALLS }), refetchInterval })
  // Decided once: the card stays until the page is left, so that its last step can be seen.
  if (isNew === null) setNew(canMakeKeys && calls.totals.requests === 0)
  return (
    <Page
      title="Overview"
      lead={team.name}
      actions={
        canPay && (
          <Link to="/team/$teamId/fund" params={{ teamId: team.id }} className={buttonLook('primary')}>
            Add credits
          </Link>
        )
      }
    >
      <div className="flex flex-col gap-6">
        <Standing />
        {isNew === true && (
          <Suspense fallback={<Skeleton className="h-[36rem] w-full" />}>
            <FirstSteps firstCall={calls.data.at(-1) ?? null} />
          </Suspense>
        )}
        {calls.data.length > 0 && isNew !== true && <Spending />}
        {calls.data.length > 0 && (
          <section>
            <div className="mb-3 flex items-baseline justify-between">
              <h2 className="font-semibold">Last requests</h2>
              <Link to="/team/$teamId/usage" params={{ teamId: team.id }} className={textLink}>
                All requests
              </Link>
            </div>
            <UsageTable records={calls.data} search={{}} />
          </section>
        )}
      </div>
    </Page>
  )
}

/** The last days at a glance. */
function Spending() {
  const team = useTeam()
  const { data } = useSuspenseQuery({
    ...usageDaysQuery(team.id, { days: SPEND_DAYS }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <Card title="Spending by day">
      <UsageChart days={data} />
    </Card>
  )
}

/** In dollars, and which limit it is where that is not the balance. */
function Available({ balance }: { readonly balance: Exact<TeamBalance> }) {
  const team = useTeam()
  return (
    <>
      <Usd value={balance.credits_available} isBalance />
      {balance.limited_by === 'team' && (
        <>
          , all that the{' '}
          <Link to="/team/$teamId/team" params={{ teamId: team.id }} className="underline underline-offset-2">
            team’s spending cap
          </Link>{' '}
          leaves of <Credits value={balance.credits} isBalance />
        </>
      )}
    </>
  )
}

/** What there is, what is spoken for, and what went. */
function Standing() {
  const team = useTeam()
  const canSeeAll = useCan('usage:all')
  const [{ data: balance }, { data: spent }] = useSuspenseQueries({
    queries: [
      { ...balanceQuery(team.id), refetchInterval: REFRESH_MS },
      { ...usageQuery(team.id, { days: SPEND_DAYS }, { limit: 1 }), refetchInterval: REFRESH_MS },
    ],
  })
  return (
    <Card>
      <Figures>
        <Figure name="Available" note={<Available balance={balance} />}>
          <Credits value={balance.credits_available} isBalance />
        </Figure>
        <Figure name="On hold" note="for requests that run now">
          <Credits value={balance.credits_reserved} />
        </Figure>
        <Figure
          name={canSeeAll ? 'Spent in 30 days' : 'Spent by you in 30 days'}
          note={
            <>
              <Usd value={spent.totals.credits_charged} />, {spent.totals.requests.toLocaleString()}{' '}
              {spent.totals.requests === 1 ? 'request' : 'requests'}
            </>
          }
        >
          <Credits value={spent.totals.credits_charged} />
        </Figure>
      </Figures>
    </Card>
  )
}
