import { usdShown } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { operatorDepositQuery } from '../../api/operator.ts'
import { assetAmount } from '../../ui/asset-amount.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Code } from '../../ui/code.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Network } from '../../ui/network-mark.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { textLink } from '../../ui/text-link.ts'
import { Time } from '../../ui/time.tsx'
import { DepositEvidence } from './deposit-evidence.tsx'
import { DepositMark } from './deposit-mark.tsx'
import { DepositVerdict } from './deposit-verdict.tsx'
import type { Deposit } from './deposits-page.tsx'

const route = getRouteApi('/signed-in/team/$teamId/operator/deposits/$depositId')

/** One deposit: what is recorded, what the providers say, what was decided. Has an address of its own. */
export function DepositDrawer() {
  const { teamId, depositId } = route.useParams()
  const navigate = route.useNavigate()
  const { data, error } = useQuery(operatorDepositQuery(depositId))
  const close = (): void =>
    void navigate({
      to: '/team/$teamId/operator/deposits',
      params: { teamId },
      search: (search) => search,
      resetScroll: false,
    })
  return (
    <Dialog title="Deposit" look="drawer" onClose={close}>
      <Failure error={error} />
      {data === undefined && error === null && <Skeleton className="h-96 w-full" />}
      {data !== undefined && (
        <div className="flex flex-col gap-6">
          <Recorded deposit={data.deposit} teamId={teamId} />
          <DepositEvidence deposit={data.deposit} />
          <Decisions decisions={data.decisions} />
          <DepositVerdict deposit={data.deposit} />
        </div>
      )}
    </Dialog>
  )
}

function Recorded({ deposit, teamId }: { readonly deposit: Deposit; readonly teamId: string }) {
  return (
    <div className="flex flex-col gap-4">
      <div>
        <p className="figures text-2xl leading-8 font-semibold">{assetAmount(deposit.amount_decimal, deposit.asset)}</p>
        <p className="mt-1 flex flex-wrap items-center gap-2">
          <DepositMark state={deposit.status} />
          {deposit.credits === null ? (
            <span className="text-soft">worth unknown</span>
          ) : (
            <Credits value={deposit.credits} withUsd />
          )}
        </p>
      </div>
      {deposit.note !== null && <p className="rounded bg-warning-soft px-3 py-2 text-warning">{deposit.note}</p>}
      <Facts>
        <Fact name="Account">
          <Link
            to="/team/$teamId/operator/accounts/$accountId"
            params={{ teamId, accountId: deposit.account_id }}
            className={clsx(textLink, '-my-[2px]')}
          >
            <Code>{deposit.account_id}</Code>
          </Link>
        </Fact>
        <Fact name="Network">
          <Network chainId={deposit.chainId} />
        </Fact>
        <Fact name="From">{deposit.sender === null ? 'unknown' : <Code>{deposit.sender}</Code>}</Fact>
        <Fact name="Transaction">
          <Code>{deposit.txHash}</Code>{' '}
          <CopyButton
            text={deposit.txHash}
            what="the transaction’s hash"
            look="quiet"
            className="h-6! px-1! text-[12px]"
          />
        </Fact>
        <Fact name="Place in it">
          <Code>{deposit.ordinal}</Code>
        </Fact>
        <Fact name="Price">
          {deposit.price_usd === null ? 'none found' : `${usdShown(deposit.price_usd, 'exact')} for one`}
        </Fact>
        <Fact name="Seen">
          <Time seconds={deposit.created} />
        </Fact>
      </Facts>
    </div>
  )
}

function Decisions({
  decisions,
}: {
  readonly decisions: readonly { decision: string; reason: string; by: string; at: number; price_usd: string | null }[]
}) {
  if (decisions.length === 0) return null
  return (
    <section>
      <h3 className="mb-2 font-semibold">Decided before</h3>
      <ul className="flex flex-col gap-2">
        {decisions.map(({ decision, reason, by, at, price_usd: price }) => (
          <li key={`${at} ${decision}`} className="rounded bg-sunken px-3 py-2">
            <span className="font-medium">{decision === 'release' ? 'Released' : 'Rejected'}</span> by {by},{' '}
            <Time seconds={at} />
            {price !== null && `, at ${usdShown(price, 'exact')} for one`}
            <div className="text-soft">{reason}</div>
          </li>
        ))}
      </ul>
    </section>
  )
}
