import { CREDITS_PER_USD, formatCredits, NANOCREDITS_PER_CREDIT, shortDecimal } from '@svc/contract'
import { type FormEvent, useState } from 'react'
import type { Claim } from '../../api/funding.ts'
import { useAction } from '../../ui/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { type InjectedWallet, useInjectedWallets } from '../../wallet/injected-wallets.ts'
import type { Place, PlaceAsset } from './place.ts'
import { type Hex, parseUnits, sendPayment } from '../../wallet/wallet-calls.ts'

interface SendByWalletProps {
  readonly place: Place
  readonly asset: PlaceAsset
  /** USD as decimal text. */
  readonly minimumUsd: string
  readonly onSent: (claim: Claim) => void
}

/** Pays with a wallet of this browser in one click; the transaction is claimed as soon as it is sent. */
export function SendByWallet({ place, asset, minimumUsd, onSent }: SendByWalletProps) {
  const wallets = useInjectedWallets()
  const [amount, setAmount] = useState('')
  const units = parseUnits(amount, asset.decimals)
  const send = useAction({
    act: ({ provider }: InjectedWallet) => {
      const payment = { to: place.address as Hex, token: asset.token as Hex | null, units: units ?? 0n }
      return sendPayment(provider, place.chainId, payment)
    },
    onSuccess: (txHash) => {
      setAmount('')
      onSent({ chainId: place.chainId, asset: asset.asset, txHash })
    },
  })
  if (wallets.length === 0) {
    return (
      <p className="text-[12px] text-soft">
        With a wallet extension in this browser you could pay from here in one click. None was found.
      </p>
    )
  }
  const isWrong = amount !== '' && units === null
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const [first] = wallets
    if (first !== undefined && units !== null) send.mutate(first)
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={submit} noValidate>
      <TextField
        label={`Amount in ${asset.asset}`}
        inputMode="decimal"
        autoComplete="off"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        problem={isWrong ? `A number above 0, with at most ${asset.decimals} decimals.` : null}
        hint={worthText(asset, units, minimumUsd)}
        className="figures max-w-56"
      />
      <div className="flex flex-wrap gap-2">
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
      </div>
      <Failure error={send.error} />
    </form>
  )
}

/** Units of a dollar token in one dollar. */
const MICRO = 1_000_000n

/** What an amount gives. A dollar token is worth its amount; what ETH is worth is known from its block on. */
function worthText({ asset }: PlaceAsset, units: bigint | null, minimumUsd: string): string {
  if (asset === 'ETH') return 'Worth the price of ETH at the time of its block, less the network’s fee.'
  if (units === null) return '1 USDG is 1,000 credits.'
  const minimum = parseUnits(minimumUsd, 6) ?? 0n
  if (units < minimum) return `Less than ${minimumUsd} USD: it waits until your deposits reach that together.`
  const credits = (units * BigInt(CREDITS_PER_USD) * NANOCREDITS_PER_CREDIT) / MICRO
  return `${shortDecimal(formatCredits(credits))} credits.`
}
