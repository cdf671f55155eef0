/** What quantities of media cost by a list, exactly. */
import { attoUsdOf, type AttoUsd } from './usd.ts'

/** Quantities are exact to a thousandth: milliseconds of a second, and whole numbers of everything else. */
export const QUANTITY_DECIMALS = 3
const QUANTITY_ONE = 1_000n

/** What is counted, in the words of the usage record. */
export type MediaUnit = 'images' | 'input_images' | 'seconds' | 'characters' | 'bytes' | 'requests'

/** So many units at so much each. */
export interface MediaLine {
  readonly unit: MediaUnit
  /** Not negative; finer than a thousandth rounds up. */
  readonly quantity: number
  readonly perUnit: AttoUsd
}

/** Quantities × list prices, at least the minimum; exact. */
export function listMediaCost(lines: readonly MediaLine[], minimum: AttoUsd | null = null): AttoUsd {
  const sum = lines.reduce((total, line) => total + thousandths(line.quantity) * line.perUnit, 0n)
  const cost = (sum + QUANTITY_ONE - 1n) / QUANTITY_ONE
  return attoUsdOf(minimum !== null && minimum > cost ? minimum : cost)
}

/** A quantity in thousandths, rounded up. Anything that is no number counts as nothing. */
export function thousandths(quantity: number): bigint {
  if (!(quantity > 0)) return 0n
  return BigInt(Math.ceil(Number((Math.min(quantity, QUANTITY_MAX) * 1_000).toFixed(6))))
}

/** More than any request can have; keeps sums in 64 bits. */
const QUANTITY_MAX = 1_000_000_000
