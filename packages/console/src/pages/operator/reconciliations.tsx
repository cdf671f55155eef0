import type { ReconciliationList } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { reconciliationsQuery } from '../../api/operator-requests.ts'
import { Failure } from '../../ui/failure.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Card } from '../../ui/page.tsx'
import { bodyRow, cell, headCell, right, table } from '../../ui/table.ts'
import { textLink } from '../../ui/text-link.ts'
import { Time } from '../../ui/time.tsx'

type Run = ReconciliationList['data'][number]

/** The last comparisons of a day with what an upstream has billed. */
export function Reconciliations() {
  const { data, error } = useQuery(reconciliationsQuery)
  return (
    <Card title="Compared with upstreams">
      <Failure error={error} />
      {data !== undefined && <Lead list={data} />}
      {data !== undefined && data.data.length > 0 && <Runs runs={data.data} />}
    </Card>
  )
}

function Lead({ list: { scheduled, data } }: { readonly list: ReconciliationList }) {
  return (
    <p className="mb-3 text-soft">
      {scheduled.length === 0
        ? 'No upstream is compared by itself: give one an activity_key_env, or compare a file with “npm run admin -- reconcile”.'
        : `Each night the day before is compared with what ${scheduled.join(', ')} says that it has billed.`}
      {data.length === 0 && ' Nothing was compared yet.'}
    </p>
  )
}

const route = getRouteApi('/signed-in/team/$teamId/operator/earnings')

function Runs({ runs }: { readonly runs: readonly Run[] }) {
  const { teamId } = route.useParams()
  return (
    <div className="overflow-x-auto" role="region" aria-label="Comparisons" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th scope="col" className={clsx(headCell, 'pl-0')}>
              Day
            </th>
            <th scope="col" className={headCell}>
              Upstream
            </th>
            <th scope="col" className={headCell}>
              Found
            </th>
            <th scope="col" className={clsx(headCell, right, 'hidden pr-0 sm:table-cell')}>
              Made
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id} className={bodyRow}>
              <td className={clsx(cell, 'pl-0 whitespace-nowrap')}>
                {run.differences === null ? (
                  run.day
                ) : (
                  <Link
                    to="/team/$teamId/operator/earnings/$runId"
                    params={{ teamId, runId: run.id }}
                    search={(search) => search}
                    resetScroll={false}
                    className={textLink}
                  >
                    {run.day}
                  </Link>
                )}
              </td>
              <td className={cell}>{run.upstream}</td>
              <td className={cell}>
                <Found run={run} />
              </td>
              <td className={clsx(cell, right, 'hidden pr-0 sm:table-cell')}>
                <Time seconds={run.started_at} /> <span className="text-soft">by {run.by}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Found({ run: { differences, failure, ended_at: endedAt } }: { readonly run: Run }) {
  if (endedAt === null) return <Mark tone="accent">runs</Mark>
  if (differences === null) return <span className="text-danger">{failure}</span>
  if (differences === 0) return <Mark tone="good">agrees</Mark>
  return <Mark tone="bad">{differences === 1 ? '1 difference' : `${differences.toLocaleString()} differences`}</Mark>
}
