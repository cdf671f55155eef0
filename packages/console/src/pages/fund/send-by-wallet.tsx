import type { FormEvent } from 'react'
import type { Claim } from '../../api/funding.ts'
import { useAction } from '../../ui/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { type InjectedWallet, useInjectedWallets } from '../../wallet/injected-wallets.ts'
import type { Place, PlaceAsset } from './place.ts'
import { type Hex, sendPayment } from '../../wallet/wallet-calls.ts'

interface SendByWalletProps {
  readonly place: Place
  readonly asset: PlaceAsset
  /** Smallest units; null where no amount was given. */
  readonly units: bigint | null
  readonly onSent: (claim: Claim) => void
}

/** Pays with a wallet of this browser in one click; the transaction is claimed as soon as it is sent. */
export function SendByWallet({ place, asset, units, onSent }: SendByWalletProps) {
  const wallets = useInjectedWallets()
  const send = useAction({
    act: ({ provider }: InjectedWallet) => {
      const payment = { to: place.address as Hex, token: asset.token as Hex | null, units: units ?? 0n }
      return sendPayment(provider, place.chainId, payment)
    },
    onSuccess: (txHash) => onSent({ chainId: place.chainId, asset: asset.asset, txHash }),
  })
  if (wallets.length === 0) {
    return (
      <p className="text-[12px] text-soft">
        With a wallet extension in this browser you could pay from here in one click. None was found.
      </p>
    )
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const [first] = wallets
    if (first !== undefined && units !== null) send.mutate(first)
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={submit} noValidate>
      <div className="flex flex-wrap items-center gap-2">
        {wallets.map((wallet) => (
          <Button
            key={wallet.id}
            disabled={units === null || send.isPending}
            isBusy={send.isPending && send.variables.id === wallet.id}
            onClick={() => send.mutate(wallet)}
          >
            {wallet.icon !== null && <img src={wallet.icon} alt="" className="size-4 rounded-sm" />}
            Send with {wallet.name}
          </Button>
        ))}
        {units === null && <span className="text-[12px] text-soft">Choose an amount above first.</span>}
      </div>
      <Failure error={send.error} />
    </form>
  )
}
