import { CREDITS_PER_USD, NANOCREDITS_PER_CREDIT, nanocreditsOf, type Nanocredits } from './credits.ts'
import { parseUsd } from './usd.ts'

const ATTO_PER_USD = 10n ** 18n

/** The most that one deposit can be worth: a balance holds little more. */
const CREDITS_MAX = 10n ** 18n

/**
 * What an amount of an asset is worth, rounded down to the nanocredit. This is the only rounding of a deposit.
 *
 * @param amount smallest units of the asset.
 * @param decimals of the asset: so many smallest units, as a power of ten, are one whole.
 * @param price USD for one whole unit as decimal text.
 * @returns null when the price is no such text, or the value is beyond what one deposit can be worth.
 */
export function valueOfDeposit(amount: bigint, decimals: number, price: string): Nanocredits | null {
  const usd = parseUsd(price)
  if (usd === null) return null
  const nanocreditsPerUsd = BigInt(CREDITS_PER_USD) * NANOCREDITS_PER_CREDIT
  const credits = (amount * usd * nanocreditsPerUsd) / (ATTO_PER_USD * 10n ** BigInt(decimals))
  return credits > CREDITS_MAX ? null : nanocreditsOf(credits)
}

/** USD as decimal text in nanocredits at par, rounded down; null when the text is no amount. */
export function creditsOfUsd(text: string): Nanocredits | null {
  return valueOfDeposit(1n, 0, text)
}
