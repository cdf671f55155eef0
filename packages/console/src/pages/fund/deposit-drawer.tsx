import { usdShown } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { type Deposit, depositQuery, placesQuery } from '../../api/funding.ts'
import { useCan, useTeam } from '../../api/session.ts'
import { assetAmount } from '../../ui/asset-amount.ts'
import { buttonLook } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { exactTimeText } from '../../ui/time.tsx'
import { ReceiptButton } from '../receipt/receipt-button.tsx'
import { DepositProgress, progressOf } from './deposit-progress.tsx'
import { Network } from '../../ui/network-mark.tsx'
import { ReceiptForm } from './receipt-form.tsx'

const route = getRouteApi('/signed-in/team/$teamId/fund/deposits/$depositId')

/** One deposit: how far it is, and what it was worth by which price. Has an address of its own. */
export function DepositDrawer() {
  const team = useTeam()
  const { depositId } = route.useParams()
  const navigate = route.useNavigate()
  const { data, error } = useQuery(depositQuery(team.id, depositId))
  const canManage = useCan('deposits:manage')
  const places = useQuery({ ...placesQuery(team.id), enabled: canManage }).data
  const close = (): void =>
    void navigate({
      to: '/team/$teamId/fund',
      params: { teamId: team.id },
      search: (search) => search,
      resetScroll: false,
    })
  return (
    <Dialog title="Deposit" look="drawer" onClose={close}>
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Skeleton className="h-96 w-full" />}
      {data !== undefined && (
        <div className="flex flex-col gap-6">
          <Details deposit={data} />
          {data.status === 'credited' && <ReceiptButton kind="entry" id={data.id} />}
          {data.status === 'credited' && places?.mails_receipts === true && <ReceiptForm deposit={data} />}
        </div>
      )}
    </Dialog>
  )
}

function Details({ deposit }: { readonly deposit: Deposit }) {
  return (
    <>
      <p className="text-2xl leading-8 font-semibold">
        {deposit.credits === null ? (
          assetAmount(deposit.amount, deposit.asset)
        ) : (
          <Credits value={deposit.credits} withUsd />
        )}
      </p>
      <DepositProgress progress={progressOf(deposit)} />
      <Facts>
        <Fact name="Amount">
          <span className="figures">{assetAmount(deposit.amount, deposit.asset)}</span>
        </Fact>
        {deposit.price_usd !== null && (
          <Fact name="Price">
            <span className="figures" title={usdShown(deposit.price_usd, 'exact')}>
              {usdShown(deposit.price_usd)}
            </span>{' '}
            for one {deposit.asset}
            {deposit.priced_at !== null && (
              <span className="text-soft">, of {exactTimeText(deposit.priced_at * 1_000)}</span>
            )}
          </Fact>
        )}
        <Fact name="Network">
          <Network chainId={deposit.chainId} />
        </Fact>
        <Fact name="Block">
          <span className="figures">{deposit.block_number.toLocaleString()}</span>
        </Fact>
        <Fact name="Arrived at">
          <Mono text={deposit.address} />
        </Fact>
        <Fact name="Transaction">
          <Mono text={deposit.txHash} />
        </Fact>
        <Fact name="Deposit id">
          <Mono text={deposit.id} />
        </Fact>
      </Facts>
      <div className="flex flex-wrap gap-2">
        {deposit.status === 'credited' && <ReceiptLink deposit={deposit} />}
        <CopyButton text={deposit.txHash} what="the transaction hash">
          Copy the hash
        </CopyButton>
        <CopyButton text={JSON.stringify(deposit, null, 2)} what="the deposit as JSON">
          Copy as JSON
        </CopyButton>
      </div>
    </>
  )
}

function ReceiptLink({ deposit }: { readonly deposit: Deposit }) {
  const team = useTeam()
  return (
    <Link
      to="/team/$teamId/fund/receipts/$depositId"
      params={{ teamId: team.id, depositId: deposit.id }}
      className={buttonLook('secondary')}
    >
      <FileText size={14} aria-hidden />
      Printable receipt
    </Link>
  )
}

function Mono({ text }: { readonly text: string }) {
  return <span className="font-mono text-[12.5px] break-all">{text}</span>
}
