/** US dollars as people read them: one form for pages, terminal and emails. */
import type { DecimalText } from './json-number.ts'
import { exactText, shortBalance, shortDecimal } from './short-decimal.ts'

/** `exact` keeps every digit; the others have six significant ones at most, rounded half up or down. */
export type UsdRounding = 'exact' | 'half_up' | 'down'

const SHORTEN = { exact: exactText, half_up: shortDecimal, down: shortBalance } as const

/**
 * Dollars as text: the sign first, thousands in groups, two decimals at least, as in `−$1,234.50`.
 *
 * @param dollars an exact decimal in USD.
 */
export function usdShown(dollars: DecimalText, rounding: UsdRounding = 'half_up'): string {
  const [whole = '', fraction = ''] = SHORTEN[rounding](dollars.replace(/^-/, '')).split('.')
  return `${dollars.startsWith('-') ? '−' : ''}$${whole}.${fraction.padEnd(2, '0')}`
}
