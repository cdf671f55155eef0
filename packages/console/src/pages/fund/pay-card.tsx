import { usdShown } from '@svc/contract'
import { clsx } from 'clsx'
import { ExternalLink } from 'lucide-react'
import { type ComponentProps, Suspense, useState } from 'react'
import type { Claim } from '../../api/funding.ts'
import { Choice } from '../../ui/choice.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { NetworkMark, type TestMoney, useTestMoney } from '../../ui/network-mark.tsx'
import { PAY, type Place, type PlaceAsset, type Places } from './place.ts'
import type { QrCode as Code } from '../../ui/qr-code.tsx'
import { SendByWallet } from './send-by-wallet.tsx'
import { parseUnits } from '../../wallet/wallet-calls.ts'
import { uriOf } from './amount.ts'
import { AmountField } from './amount-field.tsx'
import { fundCommand } from './fund-command.ts'

/** The address is beside it as text. */
const QrCode = lazyPart<ComponentProps<typeof Code>>(
  async () => (await import('../../ui/qr-code.tsx')).QrCode,
  () => null,
)

interface PayCardProps {
  readonly places: Places
  readonly place: Place
  readonly asset: PlaceAsset
  /** Whether payments could be credited at all: where wallets are linked, one must be. */
  readonly canPay: boolean
  readonly onPick: (picked: Partial<Pick<Claim, 'chainId' | 'asset'>>) => void
  readonly onSent: (claim: Claim) => void
}

/** Where to pay, to scan, to copy, or to pay by a wallet in this browser. */
export function PayCard({ places, place, asset, canPay, onPick, onSent }: PayCardProps) {
  const kind = useTestMoney(place.chainId)
  return (
    <section
      aria-label="Pay"
      id={PAY}
      className={clsx(
        'scroll-mt-20 rounded-lg border bg-surface p-4 md:p-5',
        kind !== null ? 'border-test-net' : 'border-line',
      )}
    >
      <div className="flex flex-wrap gap-x-8 gap-y-4">
        <Choice
          label="Asset"
          value={asset.asset}
          options={place.assets.map(({ asset: name }) => ({ value: name, text: name }))}
          onPick={(picked) => onPick({ asset: picked })}
        />
        <Choice
          label="Network"
          value={place.chainId}
          options={places.chains.map(({ chainId, name }) => ({
            value: chainId,
            text: name,
            mark: <NetworkMark chainId={chainId} />,
          }))}
          onPick={(picked) => onPick({ chainId: picked })}
        />
      </div>
      {kind !== null && <TestMoneyNote kind={kind} />}
      {canPay ? (
        <Payment key={`${place.chainId} ${asset.asset}`} place={place} asset={asset} places={places} onSent={onSent} />
      ) : (
        <p className="mt-5 text-soft">Link the wallet that you pay from first: only its payments are credited.</p>
      )}
    </section>
  )
}

function TestMoneyNote({ kind }: { readonly kind: TestMoney }) {
  return (
    <p className="mt-4 rounded bg-test-net-soft px-3 py-2 text-test-net">
      {kind === 'local' ? (
        <>
          A chain beside the gateway, with test money: <code className="font-mono">{fundCommand()}</code> pays 25 USDG
          to the demo account. Never send real coins here.
        </>
      ) : (
        'A test network: its coins are worth nothing elsewhere. Never send real coins here.'
      )}
    </p>
  )
}

function Payment({ places, place, asset, onSent }: Omit<PayCardProps, 'canPay' | 'onPick'>) {
  const [amount, setAmount] = useState('')
  const units = parseUnits(amount, asset.decimals)
  const uri = uriOf(asset, units)
  const sent = (claim: Claim): void => {
    setAmount('')
    onSent(claim)
  }
  return (
    <div className="mt-5 flex flex-col gap-6">
      <AmountField place={place} asset={asset} minimumUsd={places.minimum_usd} amount={amount} onAmount={setAmount} />
      <div className="grid gap-6 border-t border-line pt-5 md:grid-cols-[11rem_minmax(0,1fr)]">
        <Suspense fallback={<Skeleton className="size-44" />}>
          <QrCode text={uri} label={`Code for paying ${asset.asset} on ${place.name}`} />
        </Suspense>
        <div className="flex min-w-0 flex-col gap-4">
          <Address places={places} place={place} asset={asset} amount={units === null ? null : amount} uri={uri} />
          <div className="border-t border-line pt-4">
            <SendByWallet place={place} asset={asset} units={units} onSent={sent} />
          </div>
        </div>
      </div>
    </div>
  )
}

interface AddressProps {
  readonly places: Places
  readonly place: Place
  readonly asset: PlaceAsset
  /** As it was typed; null where there is none. */
  readonly amount: string | null
  readonly uri: string
}

function Address({ places, place, asset, amount, uri }: AddressProps) {
  return (
    <div className="flex flex-col gap-2">
      <h2 className="font-semibold">
        Send {amount !== null && <span className="figures">{amount}</span>} {asset.asset} on {place.name} to
      </h2>
      <AddressText address={place.address} />
      <div className="flex flex-wrap gap-2">
        <CopyButton text={place.address} what="the address">
          Copy the address
        </CopyButton>
        <a href={uri} className={buttonLook('secondary')}>
          <ExternalLink size={14} aria-hidden />
          Open in wallet
        </a>
      </div>
      <p className="text-[12px] text-soft">
        Only {asset.asset} on this network arrives here
        {places.mode === 'wallet' ? ', and only from wallets that are linked' : ''}. Compare the whole address before
        you pay. Less than {usdShown(places.minimum_usd)} waits until your deposits reach that together.
      </p>
    </div>
  )
}

const ENDS = 6

/** Both ends are bold, since people compare those; the middle is there to be compared, too. */
function AddressText({ address }: { readonly address: string }) {
  return (
    <p className="font-mono text-[15px] leading-6 break-all select-all" data-testid="deposit-address">
      <strong className="font-semibold">{address.slice(0, ENDS)}</strong>
      {address.slice(ENDS, -ENDS)}
      <strong className="font-semibold">{address.slice(-ENDS)}</strong>
    </p>
  )
}
