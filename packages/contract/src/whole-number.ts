import { z } from 'zod'

/** Bounds of a number, both inclusive. */
export interface NumberBounds {
  readonly min: number
  readonly max: number
}

/** What is written as people write a number: the rules of JavaScript would read an empty text as 0, `0x10` as 16. */
function numberOf(given: string | number): unknown {
  if (typeof given !== 'string') return given
  return /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given
}

/**
 * A whole number of a query, where every value arrives as text. What it is where it is absent is said by `prefault`: a
 * `default` behind a conversion does not reach the OpenAPI document.
 */
export function wholeNumber({ min, max }: NumberBounds) {
  return z.preprocess(numberOf, z.int().min(min).max(max))
}

/** The same of a number that may have decimals. */
export function boundedNumber({ min, max }: NumberBounds) {
  return z.preprocess(numberOf, z.number().min(min).max(max))
}
