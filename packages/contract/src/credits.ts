import { trimEndOf } from './digits.ts'
/**
 * Money, as every package of the product writes it.
 *
 * Credits exist as whole nanocredits in a `bigint`; no float ever holds them. The wire shows credits as a JSON number
 * that is printed from the integer, so the digits are exact however large the amount is.
 */

declare const nanocredits: unique symbol

/** A whole number of nanocredits: 10⁻⁹ credit, which is 10⁻¹² USD. Source: decision 0002 (the money unit). */
export type Nanocredits = bigint & { readonly [nanocredits]: true }

/** Nanocredits in one credit. */
export const NANOCREDITS_PER_CREDIT = 1_000_000_000n

/** Credits in one US dollar. Source: spec 1 and 8. */
export const CREDITS_PER_USD = 1_000

/**
 * The flat margin on upstream cost, in basis points. A constant of the books and no setting: each record and receipt
 * names it, and the audit holds all of history to it. Source: spec 1 and 8.
 */
export const MARGIN_BPS = 2_000

const BPS_PER_PERCENT = 100

/** Basis points as texts name them. */
export function percentText(bps: number): string {
  return `${bps / BPS_PER_PERCENT} %`
}

export const MARGIN_TEXT = percentText(MARGIN_BPS)

/** Marks a whole number as nanocredits. The only place where the brand is given without parsing. */
export function nanocreditsOf(amount: bigint): Nanocredits {
  return amount as Nanocredits
}

/** No credits at all. */
export const ZERO: Nanocredits = nanocreditsOf(0n)

/** The largest amount that a person can name, which a signed 64-bit column holds. Source: decision 0002. */
export const CREDITS_MAX: Nanocredits = nanocreditsOf(9_000_000_000n * NANOCREDITS_PER_CREDIT)

/**
 * Prints an amount in credits as an exact decimal: no exponent, no trailing zeros, at most nine decimals.
 * `formatCredits(1_500_000_000n)` is `"1.5"`.
 */
export function formatCredits(amount: bigint): string {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(10, '0')
  const whole = digits.slice(0, -9)
  const fraction = trimEndOf(digits.slice(-9), '0')
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}

const DECIMAL = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?$/

/**
 * Reads an amount in credits from decimal text, exactly.
 *
 * @param text from a person or from the source text of a JSON number; at most 12 digits before and 9 after the point.
 * @returns null when the text is not such a decimal.
 */
export function parseCredits(text: string): Nanocredits | null {
  const match = DECIMAL.exec(text)
  if (match === null) return null
  const [, sign = '', whole = '0', fraction = ''] = match
  const amount = BigInt(whole) * NANOCREDITS_PER_CREDIT + BigInt(fraction.padEnd(9, '0'))
  return nanocreditsOf(sign === '-' ? -amount : amount)
}
