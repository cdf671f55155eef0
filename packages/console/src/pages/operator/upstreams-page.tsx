import type { UpstreamsReply } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { upstreamsQuery } from '../../api/operator.ts'
import { Failure } from '../../ui/failure.tsx'
import { Mark, type Tone } from '../../ui/mark.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { bodyRow, cell, headCell, restCell, right, table } from '../../ui/table.ts'
import { Time } from '../../ui/time.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'

type Upstream = UpstreamsReply['upstreams'][number]
type Health = Upstream['health']['text']

const HEALTH_TONES: Readonly<Record<Health, Tone>> = { ok: 'good', degraded: 'careful', down: 'bad', off: 'plain' }
const CIRCUIT_TONES = { closed: 'plain', half_open: 'careful', open: 'bad' } as const
const CIRCUIT_TEXTS = { closed: 'closed', half_open: 'trying again', open: 'open' } as const

export function UpstreamsPage() {
  const { data, error } = useQuery(upstreamsQuery)
  return (
    <Page title="Upstreams" lead="Which upstreams answer, and how well, as this process of the gateway has seen it.">
      <div className="flex flex-col gap-4">
        <Failure error={error} />
        {data === undefined && error === null && <RowsSkeleton />}
        {data !== undefined && <Summary reply={data} />}
        {data?.upstreams.map((upstream) => (
          <UpstreamCard key={upstream.name} upstream={upstream} />
        ))}
      </div>
    </Page>
  )
}

function HealthMark({ name, health }: { readonly name: string; readonly health: Health }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span className="text-soft">{name}</span>
      <Mark tone={HEALTH_TONES[health]}>{health}</Mark>
    </span>
  )
}

function Summary({ reply: { health, chain_problems: problems } }: { readonly reply: UpstreamsReply }) {
  const { routing } = health
  return (
    <Card title="The gateway">
      <div className="flex flex-wrap gap-x-5 gap-y-2" role="status">
        <HealthMark name="Everything" health={health.status} />
        <HealthMark name="Text" health={routing.text} />
        <HealthMark name="Images" health={routing.image} />
        <HealthMark name="Videos" health={routing.video} />
        <HealthMark name="Audio" health={routing.audio} />
        <HealthMark name="Deposits" health={health.deposits} />
      </div>
      <p className="mt-3 text-soft">
        {health.catalog.featured} featured and {health.catalog.models} other models;{' '}
        {health.catalog.updated_at === null ? (
          'no list of models has been read yet.'
        ) : (
          <>
            the list is from <Time seconds={Math.floor(Date.parse(health.catalog.updated_at) / 1_000)} />.
          </>
        )}{' '}
        Version {health.version}.
      </p>
      {problems.length > 0 && (
        <ul className="mt-3 flex list-disc flex-col gap-1 pl-5 text-warning">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const KINDS = [
  ['Text', 'text'],
  ['Images', 'image'],
  ['Videos', 'video'],
  ['Audio', 'audio'],
] as const

function UpstreamCard({ upstream }: { readonly upstream: Upstream }) {
  return (
    <Card title={upstream.name} actions={<Mark>{upstream.kind}</Mark>}>
      <div className="mb-4 flex flex-wrap gap-x-5 gap-y-2">
        {KINDS.map(([name, kind]) => (
          <HealthMark key={kind} name={name} health={upstream.health[kind]} />
        ))}
        <span className="inline-flex items-center gap-1.5">
          <span className="text-soft">Our account there</span>
          <Mark tone={CIRCUIT_TONES[upstream.account_circuit]}>
            {upstream.account_circuit === 'closed' ? 'accepted' : 'refused'}
          </Mark>
        </span>
      </div>
      {upstream.models.length === 0 ? (
        <p className="text-soft">No call since the process started.</p>
      ) : (
        <ModelTable upstream={upstream} />
      )}
      {upstream.failures.length > 0 && <Failures upstream={upstream} />}
    </Card>
  )
}

function ModelTable({ upstream: { name, models } }: { readonly upstream: Upstream }) {
  return (
    <div className="overflow-x-auto" role="region" aria-label={`Models of ${name}`} tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={clsx(headCell, 'pl-0')}>Model</th>
            <th className={clsx(headCell, 'hidden sm:table-cell')}>Circuit</th>
            <th className={clsx(headCell, right)}>Calls</th>
            <th className={clsx(headCell, right)}>Failed</th>
            <th
              className={clsx(headCell, right, 'max-md:pr-0')}
              title="Until an answer came or a stream began, of the last 64 calls"
            >
              Median
            </th>
            <th className={clsx(headCell, right, 'hidden md:table-cell')}>Slowest</th>
            <th className={clsx(headCell, 'hidden pr-0 md:table-cell')}>Last call</th>
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <tr key={model.model} className={bodyRow}>
              <td className={clsx(restCell, 'pl-0')}>
                <div className="font-mono text-[12px] wrap-anywhere">{model.model}</div>
                {model.circuit !== 'closed' && (
                  <div className="sm:hidden">
                    <Mark tone={CIRCUIT_TONES[model.circuit]}>{CIRCUIT_TEXTS[model.circuit]}</Mark>
                  </div>
                )}
              </td>
              <td className={clsx(cell, 'hidden sm:table-cell')}>
                <Mark tone={CIRCUIT_TONES[model.circuit]}>{CIRCUIT_TEXTS[model.circuit]}</Mark>
              </td>
              <td className={clsx(cell, right)}>{model.calls.toLocaleString()}</td>
              <td className={clsx(cell, right, model.failures > 0 && 'text-danger')}>
                {model.failures.toLocaleString()}
              </td>
              <td className={clsx(cell, right, 'whitespace-nowrap max-md:pr-0')}>{durationText(model.median_ms)}</td>
              <td className={clsx(cell, right, 'hidden whitespace-nowrap md:table-cell')}>
                {durationText(model.slowest_ms)}
              </td>
              <td className={clsx(cell, 'hidden pr-0 whitespace-nowrap md:table-cell')}>
                <Time seconds={model.last_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const SECOND_MS = 1_000

function durationText(ms: number | null): string {
  if (ms === null) return '–'
  return ms < SECOND_MS ? `${ms} ms` : `${(ms / SECOND_MS).toFixed(1)} s`
}

function Failures({ upstream: { failures } }: { readonly upstream: Upstream }) {
  return (
    <details className="mt-4">
      <summary className="cursor-pointer py-1 font-medium">
        Last failures <span className="font-normal text-soft">({failures.length})</span>
      </summary>
      <ul className="mt-2 flex flex-col divide-y divide-line">
        {failures.map(({ at, model, kind, status }, index) => (
          <li key={`${at} ${index}`} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
            <span className="min-w-32 text-soft">
              <Time seconds={at} />
            </span>
            <span className="font-medium">{kind.replaceAll('_', ' ')}</span>
            {status !== null && <span className="text-soft">status {status}</span>}
            <span className="font-mono text-[12px] wrap-anywhere text-soft">{model}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
