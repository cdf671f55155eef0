/** Amounts as people read them. The exact digits stay in the text that they are made from. */
import { groupDigits, trimEndOf } from './digits.ts'
import type { DecimalText } from './json-number.ts'

const SIGNIFICANT_DIGITS = 6

/** At most six significant digits of an exact decimal, rounded half up; whole digits are never lost. */
export function shortDecimal(text: DecimalText): string {
  return shorten(text, 'half_up')
}

/** The same for a balance: rounded down, so that nothing is shown that is not there. */
export function shortBalance(text: DecimalText): string {
  return shorten(text, 'down')
}

/** Every digit of it, the whole ones in groups. */
export function exactText(text: DecimalText): string {
  const [whole = '', fraction] = text.split('.')
  return `${groupDigits(whole)}${fraction === undefined ? '' : `.${fraction}`}`
}

type Rounding = 'half_up' | 'down'

function shorten(text: DecimalText, rounding: Rounding): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (match === null) return text
  const [, sign = '', whole = '0', fraction = ''] = match
  const lead = whole === '0' ? -leadingZeros(fraction) : whole.length
  const decimals = Math.max(0, SIGNIFICANT_DIGITS - lead)
  const scaled = roundedUnits({ sign, whole, fraction }, decimals, rounding)
  const digits = scaled.toString().padStart(decimals + 1, '0')
  const head = digits.slice(0, digits.length - decimals)
  const tail = decimals === 0 ? '' : trimEndOf(digits.slice(-decimals), '0')
  return `${sign}${groupDigits(head)}${tail === '' ? '' : `.${tail}`}`
}

function leadingZeros(fraction: string): number {
  return /^0*/.exec(fraction)?.[0].length ?? 0
}

interface Decimal {
  readonly sign: string
  readonly whole: string
  readonly fraction: string
}

/** The number in units of 10^-decimals, without its sign. Down is towards less, also below zero. */
function roundedUnits({ sign, whole, fraction }: Decimal, decimals: number, rounding: Rounding): bigint {
  const kept = fraction.slice(0, decimals).padEnd(decimals, '0')
  const rest = fraction.slice(decimals)
  const isUp = rounding === 'half_up' ? (rest[0] ?? '0') >= '5' : sign === '-' && /[1-9]/.test(rest)
  return BigInt(whole + kept) + (isUp ? 1n : 0n)
}
