import { type Exact, type TeamUsageRecord, usdShown } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useCan, useTeam } from '../../api/session.ts'
import { usageRecordQuery } from '../../api/team.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { textLink } from '../../ui/text-link.ts'
import { exactTimeText, Time } from '../../ui/time.tsx'
import { ReceiptButton } from '../receipt/receipt-button.tsx'
import { billOf, otherRule } from './bill.ts'
import { UsageMovement } from './usage-movement.tsx'
import { UsageStatus } from './usage-status.tsx'
import { usedText } from './usage-table.tsx'

const route = getRouteApi('/signed-in/team/$teamId/usage/$requestId')

const PENDING_MS = 1_000

/** One request: what it was, and the sum behind its charge. Has an address of its own. */
export function UsageRecord() {
  const team = useTeam()
  const { requestId } = route.useParams()
  const navigate = route.useNavigate()
  const { data, error } = useQuery({
    ...usageRecordQuery(team.id, requestId),
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? PENDING_MS : false),
  })
  const close = (): void =>
    void navigate({
      to: '/team/$teamId/usage',
      params: { teamId: team.id },
      search: (search) => search,
      resetScroll: false,
    })
  return (
    <Dialog title="Request" look="drawer" onClose={close}>
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Skeleton className="h-96 w-full" />}
      {data?.state === 'pending' && (
        <p role="status">
          This request still runs. <Credits value={data.credits_reserved} /> are held for it; what is left over comes
          back.
        </p>
      )}
      {data?.state === 'final' && <Details record={data} />}
    </Dialog>
  )
}

function Details({ record }: { readonly record: Exact<TeamUsageRecord> }) {
  const team = useTeam()
  const canSeeKeys = useCan('keys:all')
  return (
    <div className="flex flex-col gap-6">
      <p className="text-2xl leading-8 font-semibold">
        <Credits value={record.credits_charged} withUsd />
      </p>
      <Bill record={record} />
      <Facts>
        <Fact name="When">
          <Time seconds={record.created} />, {exactTimeText(record.created * 1_000)}
        </Fact>
        <Fact name="Status">
          <UsageStatus record={record} />
        </Fact>
        <Fact name="Key">
          {canSeeKeys ? (
            <Link
              to="/team/$teamId/keys/$keyId"
              params={{ teamId: team.id, keyId: record.key_id }}
              className={clsx(textLink, '-my-[2px]')}
            >
              {record.key_name}
            </Link>
          ) : (
            record.key_name
          )}
        </Fact>
        <Fact name="Model">
          <span className="font-mono text-[12.5px] wrap-anywhere">{record.model}</span>
        </Fact>
        {record.upstream_model !== null && record.upstream_model !== record.model && (
          <Fact name="Served by">
            <span className="font-mono text-[12.5px] wrap-anywhere">{record.upstream_model}</span>
          </Fact>
        )}
        <Fact name="Used">{usedText(record) || 'nothing'}</Fact>
        {record.latency_ms !== null && <Fact name="Took">{(record.latency_ms / 1_000).toFixed(2)} s</Fact>}
        <Fact name="Request id">
          <span className="font-mono text-[12.5px] break-all">{record.request_id}</span>
        </Fact>
      </Facts>
      <UsageMovement requestId={record.request_id} />
      <ReceiptButton kind="request" id={record.request_id} />
      <div className="flex flex-wrap gap-2">
        <CopyButton text={record.request_id} what="the request id">
          Copy the id
        </CopyButton>
        <CopyButton text={JSON.stringify(record, null, 2)} what="the record as JSON">
          Copy as JSON
        </CopyButton>
      </div>
    </div>
  )
}

function Bill({ record }: { readonly record: Exact<TeamUsageRecord> }) {
  const lines = billOf(record)
  if (lines.length === 0) {
    return <p className="text-soft">Nothing was charged: requests that fail are free.</p>
  }
  const other = otherRule(record)
  const parts = [
    ...(record.cached_tokens
      ? [`${record.cached_tokens.toLocaleString()} of the input tokens came from the cache`]
      : []),
    ...(record.reasoning_tokens
      ? [`${record.reasoning_tokens.toLocaleString()} of the output tokens were reasoning`]
      : []),
  ]
  return (
    <div className="flex flex-col gap-2">
      <table className="w-full" aria-label="The sum behind the charge">
        <tbody>
          {lines.map(({ what, how, amount, unit }, index) => (
            <tr key={what} className={index === lines.length - 1 ? 'border-t border-line-strong font-semibold' : ''}>
              <th scope="row" className="py-1.5 pr-3 text-left align-top font-[inherit]">
                {what}
                {how !== '' && <div className="text-[12px] font-normal text-soft">{how}</div>}
              </th>
              <td className="py-1.5 text-right align-top whitespace-nowrap">
                {unit === 'USD' ? usdShown(amount, 'exact') : amount}
                {unit === 'credits' && <span className="font-normal text-soft"> credits</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {parts.length > 0 && <p className="text-[12px] text-soft">{parts.join('; ')}.</p>}
      {other !== null && <p className="text-[12px] text-soft">{other}</p>}
      {record.estimated && (
        <p className="rounded bg-warning-soft px-3 py-2 text-[12px] text-warning">
          {record.pricing?.estimated === true
            ? 'Estimated: the upstream said neither what it delivered nor what it cost, so the gateway counted what went through it. Text counts one token for every four bytes.'
            : 'The upstream said what it cost, and not how much it delivered: the quantities are counted here.'}{' '}
          The charge is final.
        </p>
      )}
    </div>
  )
}
