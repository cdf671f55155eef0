import { type AuditReply, consoleEndpoints } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import { auditQuery } from '../../api/operator.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'
import { useOperatorAction } from './use-operator-action.ts'

export function AuditPage() {
  const { data, error } = useQuery(auditQuery)
  const start = useOperatorAction(
    (_nothing: undefined, name) => consoleApi.call(consoleEndpoints.startAudit, {}, named(name)),
    'The audit runs.',
  )
  const isRunning = data?.running != null
  const button = (
    <Button isBusy={start.isPending || isRunning} onClick={() => start.mutate(undefined)}>
      {isRunning ? 'It runs' : 'Run it now'}
    </Button>
  )
  return (
    <Page
      title="Audit"
      lead="Recomputes every promise about money from the rows themselves. It reads only, beside the requests."
      actions={button}
    >
      <div className="flex flex-col gap-4">
        <Failure error={error ?? start.error} />
        {data === undefined && error === null && <RowsSkeleton />}
        <div role="status">
          {data?.running != null && (
            <p className="rounded bg-accent-soft px-3 py-2">
              It runs since <Time seconds={data.running.started_at} />, started by {data.running.by}.
            </p>
          )}
        </div>
        {data !== undefined && data.failure !== null && (
          <p className="rounded bg-warning-soft px-3 py-2 text-warning">The last try: {data.failure}</p>
        )}
        {data?.last === null && !isRunning && <Empty text="No audit was run from here yet." action={button} />}
        {data?.last != null && <Report last={data.last} />}
      </div>
    </Page>
  )
}

type Last = NonNullable<AuditReply['last']>

function Report({ last }: { readonly last: Last }) {
  const { report } = last
  const kept = report.rows.filter(({ breaches }) => breaches === 0).length
  return (
    <>
      <div
        className={
          report.breaches === 0
            ? 'rounded-lg bg-success-soft px-4 py-3 text-success'
            : 'rounded-lg bg-danger-soft px-4 py-3 text-danger'
        }
      >
        <p className="text-[16px] font-semibold">
          {report.breaches === 0
            ? `All ${kept} promises are kept.`
            : `${report.rows.length - kept} of ${report.rows.length} promises are broken, in ${report.breaches} rows.`}
        </p>
        <p className="text-[12px]">
          <Time seconds={report.taken_at} />, by {last.by}, in {(last.took_ms / 1_000).toFixed(1)} s.
        </p>
      </div>
      <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface">
        {report.rows
          .toSorted((one, other) => other.breaches - one.breaches)
          .map((row) => (
            <Promised key={row.name} row={row} />
          ))}
      </ul>
    </>
  )
}

function Promised({ row }: { readonly row: Last['report']['rows'][number] }) {
  const isKept = row.breaches === 0
  return (
    <li className="flex gap-3 px-4 py-3">
      {isKept ? (
        <Check size={16} className="mt-0.5 shrink-0 text-success" aria-label="Kept" />
      ) : (
        <X size={16} className="mt-0.5 shrink-0 text-danger" aria-label="Broken" />
      )}
      <div className="min-w-0 flex-1">
        <h2 className="font-medium first-letter:uppercase">{row.name}</h2>
        <p className="text-soft first-letter:uppercase">{row.promise}.</p>
        <ul className="mt-1.5 flex flex-wrap gap-x-5 gap-y-1 text-[12px]">
          {row.figures.map(({ name, value }) => (
            <li key={name} className="figures">
              <span className="text-soft">{name}</span> {value}
            </li>
          ))}
        </ul>
        {row.examples.length > 0 && (
          <ul className="mt-2 flex list-disc flex-col gap-1 pl-5 break-words text-danger">
            {row.examples.map((example) => (
              <li key={example}>{example}</li>
            ))}
            {row.breaches > row.examples.length && <li>and {row.breaches - row.examples.length} more</li>}
          </ul>
        )}
      </div>
    </li>
  )
}
