import type { Exact, UsageRecordBody } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { type ReactNode, useState } from 'react'
import { type FoundRequest, operatorRequestQuery } from '../../api/operator-requests.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { bodyRow, cell, headCell, restCell, right, table } from '../../ui/table.ts'
import { textLink } from '../../ui/text-link.ts'
import { exactTimeText } from '../../ui/time.tsx'
import { UsageStatus } from '../usage/usage-status.tsx'
import { ReceiptCard } from './receipt-card.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { RequestMovement } from './request-movement.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'

const route = getRouteApi('/signed-in/team/$teamId/operator/requests/$requestId')

const PENDING_MS = 1_000

/** One request of any account: what it was charged and why, what it cost, and how it came about. */
export function OperatorRequestPage() {
  const { teamId, requestId } = route.useParams()
  const { data, error } = useQuery({
    ...operatorRequestQuery(requestId),
    refetchInterval: ({ state }) => (state.data?.record.state === 'pending' ? PENDING_MS : false),
  })
  const [isRefunding, setRefunding] = useState(false)
  const canRefund =
    data?.record.state === 'final' && data.record.credits_charged !== '0' && !data.transfers.some(isRefund)
  return (
    <Page
      title="Request"
      lead={
        <span className="flex items-center gap-2">
          <span className="min-w-0 truncate font-mono text-[12px]">{requestId}</span>
          <CopyButton text={requestId} what="the request id" look="quiet" className="h-6! px-1! text-[12px]" />
        </span>
      }
      actions={canRefund ? <Button onClick={() => setRefunding(true)}>Refund</Button> : undefined}
    >
      <Failure error={error} />
      {data === undefined && error === null && <RowsSkeleton />}
      {data !== undefined && <Details found={data} teamId={teamId} />}
      {isRefunding && data?.record.state === 'final' && (
        <RefundDialog record={data.record} onClose={() => setRefunding(false)} />
      )}
    </Page>
  )
}

const isRefund = ({ kind }: FoundRequest['transfers'][number]): boolean => kind === 'adjustment'

function Details({ found, teamId }: { readonly found: FoundRequest; readonly teamId: string }) {
  const { record, receipt, receipt_problem: problem } = found
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2 [&>*]:min-w-0">
      <Card title="Record">
        <RecordFacts found={found} teamId={teamId} />
      </Card>
      <Card title="Money">
        <RequestMovement found={found} />
      </Card>
      <div className="lg:col-span-2">
        <Card title="Attempts">
          <Attempts attempts={found.attempts} />
        </Card>
      </div>
      {record.state === 'final' && <Prices record={record} />}
      <ReceiptCard requestId={record.request_id} receipt={receipt} problem={problem} />
    </div>
  )
}

function RecordFacts({
  found: { record, operator },
  teamId,
}: {
  readonly found: FoundRequest
  readonly teamId: string
}) {
  const { account_id: accountId, upstream, generation_id: generationId } = operator
  return (
    <Facts>
      <Fact name="Began">{exactTimeText(record.created * 1_000)}</Fact>
      <Fact name="Status">
        {record.state === 'pending' ? <Mark tone="accent">runs</Mark> : <UsageStatus record={record} />}
      </Fact>
      <Fact name="Account">
        {accountId === null ? (
          'known once it has ended'
        ) : (
          <Link to="/team/$teamId/operator/accounts/$accountId" params={{ teamId, accountId }} className={textLink}>
            <Code>{accountId}</Code>
          </Link>
        )}
      </Fact>
      <Fact name="Key">
        {operator.key_name} <Code>{operator.key_id}</Code>
      </Fact>
      <Fact name="Model">
        <Code>{record.model}</Code>
      </Fact>
      {record.state === 'final' && <EndedFacts record={record} />}
      <Fact name="Upstream">{upstream ?? 'none'}</Fact>
      <Fact name="Its id there">{generationId === null ? 'none' : <Code>{generationId}</Code>}</Fact>
    </Facts>
  )
}

function EndedFacts({ record }: { readonly record: Exact<UsageRecordBody> }) {
  const { prompt_tokens: prompt, completion_tokens: completion, units, upstream_model: served } = record
  return (
    <>
      {served !== null && (
        <Fact name="Served by">
          <Code>{served}</Code>
        </Fact>
      )}
      <Fact name="Used">
        {prompt !== null && `${prompt.toLocaleString()} tokens in, ${(completion ?? 0).toLocaleString()} out`}
        {units !== null && `${units.quantity.toLocaleString()} ${units.kind}`}
        {prompt === null && units === null && 'nothing that was counted'}
        {record.estimated && ', estimated'}
      </Fact>
      {record.latency_ms !== null && <Fact name="Took">{(record.latency_ms / 1_000).toFixed(2)} s</Fact>}
    </>
  )
}

/** Unit prices and quantities, as the record keeps them. */
function Prices({ record }: { readonly record: Exact<UsageRecordBody> }) {
  const lines = record.pricing === null ? [] : linesOf(record.pricing)
  return (
    <Card title="Prices">
      <p className="mb-3 text-soft">
        {record.basis === null ? 'Nothing was charged.' : `Decided by the ${BASES[record.basis]}.`}
      </p>
      {lines.length > 0 && (
        <Facts>
          {lines.map(([name, value]) => (
            <Fact key={name} name={name}>
              <Code>{value}</Code>
            </Fact>
          ))}
        </Facts>
      )}
    </Card>
  )
}

const BASES = { card: 'rate card', cost: 'reported cost', list: 'list price', estimate: 'estimate' } as const

/** Members of members are named after both. */
function linesOf(value: object, prefix = ''): readonly (readonly [string, string])[] {
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    const name = `${prefix}${key.replaceAll('_', ' ')}`
    if (typeof member === 'object' && member !== null) return linesOf(member, `${name}: `)
    return [[name, typeof member === 'string' ? member : JSON.stringify(member)] as const]
  })
}

function Attempts({ attempts }: { readonly attempts: FoundRequest['attempts'] }) {
  if (attempts.length === 0) return <p className="text-soft">No upstream was asked.</p>
  return (
    <div className="overflow-x-auto" role="region" aria-label="Attempts" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <Head className="pl-0">Upstream</Head>
            <Head>Outcome</Head>
            <Head className="hidden md:table-cell">Id there</Head>
            <Head className={clsx(right, 'pr-0')}>Cost</Head>
          </tr>
        </thead>
        <tbody>
          {attempts.map(({ upstream, upstream_model: model, failure, generation_id: id, credits_cost: cost }, at) => (
            <tr key={`${at} ${id}`} className={bodyRow}>
              <td className={clsx(restCell, 'pl-0')}>
                {at + 1}. {upstream}
                <div className="font-mono text-[12px] wrap-anywhere text-soft">{model}</div>
              </td>
              <td className={cell}>
                <Mark tone={failure === null ? 'good' : 'bad'}>{failure?.replaceAll('_', ' ') ?? 'went well'}</Mark>
              </td>
              <td className={clsx(cell, 'hidden font-mono text-[12px] break-all md:table-cell')}>{id ?? '–'}</td>
              <td className={clsx(cell, right, 'pr-0')}>
                {cost === null ? '–' : <Credits value={cost} withUnit={false} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Head({ className, children }: { readonly className?: string; readonly children: ReactNode }) {
  return (
    <th scope="col" className={clsx(headCell, className)}>
      {children}
    </th>
  )
}
