import type { Exact, ReconciliationReply } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { reconciliationQuery } from '../../api/operator-requests.ts'
import { Code } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { bodyRow, cell, headCell, restCell, right, table } from '../../ui/table.ts'
import { textLink } from '../../ui/text-link.ts'

const route = getRouteApi('/signed-in/team/$teamId/operator/earnings/$runId')

type Report = Exact<ReconciliationReply>
type Side = Report['here']

/** What one reconciliation has found. Has an address of its own. */
export function ReconciliationDrawer() {
  const { teamId, runId } = route.useParams()
  const navigate = route.useNavigate()
  const { data, error } = useQuery(reconciliationQuery(runId))
  const close = (): void =>
    void navigate({
      to: '/team/$teamId/operator/earnings',
      params: { teamId },
      search: (search) => search,
      resetScroll: false,
    })
  return (
    <Dialog
      title={data === undefined ? 'Reconciliation' : `${data.upstream}, ${data.day}`}
      look="drawer"
      onClose={close}
    >
      <Failure error={error} />
      {data === undefined && error === null && <Skeleton className="h-96 w-full" />}
      {data !== undefined && <Details report={data} teamId={teamId} />}
    </Dialog>
  )
}

function Details({ report, teamId }: { readonly report: Report; readonly teamId: string }) {
  const { kinds, differences, notes, source } = report
  return (
    <div className="flex flex-col gap-5">
      <p className="text-soft">
        {source === 'file' ? 'By a file, a row for each generation.' : 'By the upstream’s own figures.'}
        {kinds.length === 0 && ' Both say the same.'}
      </p>
      <Facts>
        <SideFact name="In the books" side={report.here} />
        <SideFact name="Billed" side={report.there} />
        {report.at_edge.rows > 0 && <SideFact name="Not found, at an edge of the day" side={report.at_edge} />}
        {report.unnamed.rows > 0 && <SideFact name="Without an id" side={report.unnamed} />}
      </Facts>
      {notes.map((note) => (
        <p key={note} className="rounded bg-warning-soft px-3 py-2 text-warning">
          {note}
        </p>
      ))}
      {kinds.map((kind) => (
        <Kind
          key={kind.kind}
          kind={kind}
          rows={differences.filter((each) => each.kind === kind.kind)}
          teamId={teamId}
        />
      ))}
    </div>
  )
}

function SideFact({ name, side }: { readonly name: string; readonly side: Side }) {
  return (
    <Fact name={name}>
      <span className="figures">${side.usd}</span>{' '}
      <span className="text-soft">
        in {side.rows.toLocaleString()} {side.rows === 1 ? 'row' : 'rows'}
      </span>
    </Fact>
  )
}

const TITLES: Readonly<Record<string, string>> = {
  missing_here: 'Billed, and no record here',
  missing_there: 'A record here, and not billed',
  doubled_here: 'Several records for one generation',
  doubled_there: 'Billed several times',
  cost_differs: 'Another cost',
}

interface KindProps {
  readonly kind: Report['kinds'][number]
  readonly rows: Report['differences']
  readonly teamId: string
}

function Kind({ kind, rows, teamId }: KindProps) {
  const title = TITLES[kind.kind] ?? kind.kind
  return (
    <section>
      <h3 className="mb-1 font-semibold">
        {title} <span className="font-normal text-soft">({kind.count.toLocaleString()})</span>
      </h3>
      <div className="overflow-x-auto" role="region" aria-label={title} tabIndex={0}>
        <table className={table}>
          <thead>
            <tr>
              <th scope="col" className={clsx(headCell, 'pl-0')}>
                Generation
              </th>
              <th scope="col" className={clsx(headCell, right)}>
                USD here
              </th>
              <th scope="col" className={clsx(headCell, right, 'pr-0')}>
                USD billed
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.generation_id} ${row.model}`} className={bodyRow}>
                <td className={clsx(restCell, 'pl-0 align-top')}>
                  {row.generation_id === null ? 'a sum that nothing names' : <Code>{row.generation_id}</Code>}
                  {row.model !== null && <div className="text-[12px] wrap-anywhere text-soft">{row.model}</div>}
                  {row.request_ids.map((requestId) => (
                    <div key={requestId}>
                      <Link
                        to="/team/$teamId/operator/requests/$requestId"
                        params={{ teamId, requestId }}
                        className={textLink}
                      >
                        <Code>{requestId}</Code>
                      </Link>
                    </div>
                  ))}
                </td>
                <td className={clsx(cell, right, 'figures align-top')}>{row.here.rows === 0 ? '–' : row.here.usd}</td>
                <td className={clsx(cell, right, 'figures pr-0 align-top')}>
                  {row.there.rows === 0 ? '–' : row.there.usd}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {kind.count > rows.length && (
        <p className="pt-1 text-[12px] text-soft">and {(kind.count - rows.length).toLocaleString()} more</p>
      )}
    </section>
  )
}
