import { nanocreditsFrom, shortDecimal, usdShown } from '@svc/contract'
import { creditsOfUsd } from '@svc/contract/deposit-value'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { pricesQuery } from '../../api/funding.ts'
import { useTeam } from '../../api/session.ts'
import { TextField } from '../../ui/field.tsx'
import { useSeconds } from '../../ui/use-seconds.ts'
import { parseUnits } from '../../wallet/wallet-calls.ts'
import { amountProblem, PRESETS_USD, unitsForUsd, unitsText, worthOf } from './amount.ts'
import type { Place, PlaceAsset } from './place.ts'

/** A dollar token is worth its amount. */
const PAR = '1'

interface AmountFieldProps {
  readonly place: Place
  readonly asset: PlaceAsset
  /** USD as decimal text. */
  readonly minimumUsd: string
  readonly amount: string
  readonly onAmount: (amount: string) => void
}

/** How much is paid: some amounts at one click, in dollars with what arrives, or any other. */
export function AmountField({ place, asset, minimumUsd, amount, onAmount }: AmountFieldProps) {
  const price = usePrice(place, asset)
  const units = parseUnits(amount, asset.decimals)
  return (
    <div className="flex flex-col gap-3">
      <Presets asset={asset} price={price?.usd ?? null} chosen={units} onAmount={onAmount} />
      <TextField
        label={`Amount in ${asset.asset}`}
        inputMode="decimal"
        autoComplete="off"
        value={amount}
        onChange={(event) => onAmount(event.target.value)}
        problem={amountProblem(amount, asset)}
        hint={<Worth asset={asset} units={units} price={price} minimumUsd={minimumUsd} />}
        className="figures max-w-56"
      />
    </div>
  )
}

interface Price {
  readonly usd: string
  /** When the gateway asked for it, in seconds since the epoch; null for what is always worth the same. */
  readonly askedAt: number | null
}

/** Null while none is known. */
function usePrice({ chainId }: Place, { asset }: PlaceAsset): Price | null {
  const team = useTeam()
  const isEther = asset === 'ETH'
  const { data } = useQuery({ ...pricesQuery(team.id), enabled: isEther })
  if (!isEther) return { usd: PAR, askedAt: null }
  const found = data?.data.find((one) => one.chainId === chainId)
  return found === undefined || found.price_usd === null ? null : { usd: found.price_usd, askedAt: found.asked_at }
}

interface PresetsProps {
  readonly asset: PlaceAsset
  readonly price: string | null
  readonly chosen: bigint | null
  readonly onAmount: (amount: string) => void
}

function Presets({ asset, price, chosen, onAmount }: PresetsProps) {
  if (price === null) return null
  return (
    <div role="group" aria-label="Amounts" className="grid grid-cols-2 gap-2 sm:grid-cols-3 xl:grid-cols-5">
      {PRESETS_USD.map((usd) => {
        const units = unitsForUsd(usd, asset.decimals, price)
        const credits = units === null ? null : worthOf(units, asset.decimals, price)?.credits
        if (units === null || credits == null) return null
        return (
          <button
            key={usd}
            type="button"
            aria-pressed={units === chosen}
            onClick={() => onAmount(unitsText(units, asset.decimals))}
            className={clsx(
              'flex flex-col items-start rounded border px-3 py-2 text-left transition-colors',
              units === chosen ? 'border-accent bg-accent-soft' : 'border-line bg-control hover:border-line-strong',
            )}
          >
            <span className="figures text-[15px] font-semibold">${usd}</span>
            <span className="figures text-[12px] whitespace-nowrap text-soft">
              {asset.asset === 'ETH' && 'about '}
              {(usd * 1_000).toLocaleString('en')} credits
            </span>
          </button>
        )
      })}
    </div>
  )
}

interface WorthProps {
  readonly asset: PlaceAsset
  readonly units: bigint | null
  readonly price: Price | null
  readonly minimumUsd: string
}

/** What arrives for an amount. A dollar token is worth its amount; ETH what it is worth at the time of its block. */
function Worth({ asset, units, price, minimumUsd }: WorthProps): ReactNode {
  const worth = units === null || price === null ? null : worthOf(units, asset.decimals, price.usd)
  const isLittle = worth !== null && nanocreditsFrom(worth.credits) < (creditsOfUsd(minimumUsd) ?? 0n)
  if (asset.asset !== 'ETH') {
    if (worth === null) return '1 USDG is 1,000 credits.'
    if (isLittle) return `Less than ${usdShown(minimumUsd)}: it waits until your deposits reach that together.`
    return `${shortDecimal(worth.credits)} credits.`
  }
  if (price === null) return 'Worth the price of ETH at the time of its block. The chain says none at the moment.'
  return (
    <>
      {worth !== null && (
        <>
          Worth {worth.usd} now, about {shortDecimal(worth.credits)} credits
          {isLittle && `; less than ${usdShown(minimumUsd)} waits until your deposits reach that together`}.{' '}
        </>
      )}
      1 ETH is {usdShown(price.usd)}
      {price.askedAt !== null && (
        <>
          , asked <Age since={price.askedAt} />
        </>
      )}
      . What counts is the price at the time of its block.
    </>
  )
}

/** How old a price is, counted as it ages. */
function Age({ since }: { readonly since: number }) {
  const seconds = Math.max(0, useSeconds() - since)
  return <span className="figures">{seconds < 2 ? 'just now' : `${seconds} s ago`}</span>
}
