import type { ReconciliationList } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useState } from 'react'
import { reconciliationsQuery } from '../../api/operator-requests.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Card } from '../../ui/page.tsx'
import { bodyRow, cell, headCell, right, table } from '../../ui/table.ts'
import { textLink } from '../../ui/text-link.ts'
import { Time } from '../../ui/time.tsx'
import { ReconcileDialog } from './reconcile-dialog.tsx'

type Run = ReconciliationList['data'][number]

/** The last reconciliations of a day with what an upstream has billed, and a button for another. */
export function Reconciliations() {
  const { data, error } = useQuery(reconciliationsQuery)
  const [isAsking, setAsking] = useState(false)
  /** The run that was begun here. */
  const [startedId, setStarted] = useState<string | null>(null)
  const started = data?.data.find(({ id }) => id === startedId)
  return (
    <Card
      title="Reconciliation"
      actions={
        data !== undefined && (
          <Button look="secondary" onClick={() => setAsking(true)}>
            Reconcile a day
          </Button>
        )
      }
    >
      <Failure error={error} />
      {data !== undefined && <Lead list={data} />}
      <div role="status">{started !== undefined && <Started run={started} />}</div>
      {data !== undefined && data.data.length > 0 && <Runs runs={data.data} />}
      {data !== undefined && isAsking && (
        <ReconcileDialog upstreams={data.upstreams} onStarted={setStarted} onClose={() => setAsking(false)} />
      )}
    </Card>
  )
}

/** How the run fares that was begun on this page. */
function Started({ run }: { readonly run: Run }) {
  return (
    <p className="mb-3 flex flex-wrap items-center gap-2 rounded bg-accent-soft px-3 py-2">
      <span>
        {run.upstream}, {run.day}:
      </span>
      {run.ended_at === null ? (
        <span>
          it runs, begun <Time seconds={run.started_at} />
        </span>
      ) : (
        <Found run={run} />
      )}
    </p>
  )
}

function Lead({ list: { scheduled, data } }: { readonly list: ReconciliationList }) {
  return (
    <p className="mb-3 text-soft">
      {scheduled.length === 0
        ? 'No upstream is reconciled by itself: give one an activity_key_env, or give its invoice as a file.'
        : `Each night the day before is reconciled with what ${scheduled.join(', ')} says that it has billed.`}
      {data.length === 0 && ' Nothing was reconciled yet.'}
    </p>
  )
}

const route = getRouteApi('/signed-in/team/$teamId/operator/earnings')

function Runs({ runs }: { readonly runs: readonly Run[] }) {
  const { teamId } = route.useParams()
  return (
    <div className="overflow-x-auto" role="region" aria-label="Reconciliations" tabIndex={0}>
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
