/** Amounts of an asset as a person types them, and what they become in credits. */
import { formatCredits, formatUsd, trimEndOf, usdShown } from '@svc/contract'
import { valueOfDeposit } from '@svc/contract/deposit-value'
import { parseUsd } from '@svc/contract/usd'
import { parseUnits } from '../../wallet/wallet-calls.ts'
import type { PlaceAsset } from './place.ts'

/** What most people pay, in whole dollars. */
export const PRESETS_USD = [10, 25, 50, 100, 250] as const

/** An amount in smallest units as text, without zeros at its end. */
export function unitsText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0')
  const fraction = trimEndOf(digits.slice(digits.length - decimals), '0')
  const whole = digits.slice(0, digits.length - decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Digits that a wallet and a person can read. */
const SHOWN_DECIMALS = 6
const ATTO_PER_USD = 10n ** 18n

/**
 * How much of an asset so many dollars are, rounded up to six decimals: what arrives is worth no less.
 *
 * @param price USD for one whole unit.
 */
export function unitsForUsd(usd: number, decimals: number, price: string): bigint | null {
  const atto = parseUsd(price)
  if (atto === null || atto === 0n) return null
  const step = 10n ** BigInt(Math.max(0, decimals - SHOWN_DECIMALS))
  const wanted = BigInt(usd) * ATTO_PER_USD * 10n ** BigInt(decimals)
  return ((wanted + atto * step - 1n) / (atto * step)) * step
}

/** What an amount is worth at a price, as the gateway values a deposit. Null where that is not known. */
export function worthOf(units: bigint, decimals: number, price: string) {
  const value = valueOfDeposit(units, decimals, price)
  return value === null ? null : { credits: formatCredits(value), usd: usdShown(formatUsd(value)) }
}

/** What is wrong with an amount; null where it may be sent, or nothing was typed. */
export function amountProblem(amount: string, { decimals }: PlaceAsset): string | null {
  if (amount === '' || parseUnits(amount, decimals) !== null) return null
  return `A number above 0, with at most ${decimals} decimals.`
}

/** The payment as wallets read it, with the amount where there is one. Source: ERC-681. */
export function uriOf(asset: PlaceAsset, units: bigint | null): string {
  if (units === null) return asset.uri
  return asset.token === null ? `${asset.uri}?value=${units}` : `${asset.uri}&uint256=${units}`
}
