/**
 * Upstream money: exact decimals of US dollars in, whole nanocredits out.
 */
import { CREDITS_PER_USD, MARGIN_BPS, NANOCREDITS_PER_CREDIT, nanocreditsOf, type Nanocredits } from './credits.ts'
import { trimEndOf } from './digits.ts'

declare const attoUsd: unique symbol

/** A whole number of 10⁻¹⁸ USD. Upstream prices and costs are exact in it; 10⁶ of them are one nanocredit at par. */
export type AttoUsd = bigint & { readonly [attoUsd]: true }

const ATTO_DECIMALS = 18

/** 10¹⁸, the number of atto-dollars in a dollar. */
const ATTO_PER_USD = 10n ** BigInt(ATTO_DECIMALS)

/** Atto-dollars in one nanocredit at par: 10⁶. */
export const ATTO_PER_NANOCREDIT = ATTO_PER_USD / (BigInt(CREDITS_PER_USD) * NANOCREDITS_PER_CREDIT)

/** Basis points in a whole. */
export const BPS = 10_000n

/** Whole digits of the largest amount that can be real for one request; a charge of it is well within 64 bits. */
const MAX_WHOLE_DIGITS = 6

/** No upstream prints more; a longer text is refused before it is looked at. */
const MAX_TEXT_LENGTH = 100

const DECIMAL = /^(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/

/** Marks a whole number as atto-dollars. The only place where the brand is given without parsing. */
export function attoUsdOf(amount: bigint): AttoUsd {
  return amount as AttoUsd
}

/** No dollars at all. */
export const ZERO_USD: AttoUsd = attoUsdOf(0n)

/**
 * Reads an amount in USD from decimal text, exactly. Exponents are understood, since JSON writers make them: `1e-7`,
 * `9.5E-4`. Digits beyond the eighteenth decimal round up, so that an amount is never read as less than it is.
 *
 * @param text the source text of a JSON number, or the text of a price list.
 * @returns null when the text is no such number, is negative, or is a million USD or more.
 */
export function parseUsd(text: string): AttoUsd | null {
  if (text.length > MAX_TEXT_LENGTH) return null
  const match = DECIMAL.exec(text)
  if (match === null) return null
  const [, whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return null
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return ZERO_USD
  const shift = Number(exponent) - fraction.length
  if (digits.length + shift > MAX_WHOLE_DIGITS) return null
  const attoShift = shift + ATTO_DECIMALS
  if (attoShift >= 0) return attoUsdOf(BigInt(digits + '0'.repeat(attoShift)))
  if (-attoShift > digits.length) return attoUsdOf(1n)
  return attoUsdOf(divideUp(BigInt(digits), 10n ** BigInt(-attoShift)))
}

/** Prints an amount in USD as an exact decimal: no exponent, no trailing zeros. */
export function formatUsd(amount: AttoUsd): string {
  return formatDecimal(amount, ATTO_DECIMALS)
}

/**
 * Prints `amount × 10^-decimals` as an exact decimal: no exponent, no trailing zeros. `formatDecimal(1250n, 3)` is
 * `"1.25"`.
 *
 * @param amount not negative.
 */
export function formatDecimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const fraction = trimEndOf(digits.slice(digits.length - decimals), '0')
  const whole = digits.slice(0, digits.length - decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/**
 * What an upstream cost is charged at: cost plus the flat margin, rounded up to the next nanocredit. This is the only
 * rounding of a charge, so it is applied to the whole cost of a request and never to its parts.
 *
 * @param marginBps not negative; that of a record where its charge is recomputed.
 *
 * Source: spec 1 (cost plus 20 %), decision 0002 (one rounding, up).
 */
export function chargeForCost(cost: AttoUsd, marginBps: number = MARGIN_BPS): Nanocredits {
  return nanocreditsOf(divideUp(cost * (BPS + BigInt(marginBps)), BPS * ATTO_PER_NANOCREDIT))
}

/**
 * What an upstream charges us, in nanocredits without margin, rounded up so that a cost is never booked as less than
 * it was.
 */
export function costAtPar(cost: AttoUsd): Nanocredits {
  return nanocreditsOf(divideUp(cost, ATTO_PER_NANOCREDIT))
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
