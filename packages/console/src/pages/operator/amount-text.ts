import type { LimitUnit } from '@svc/contract'

const SIZES = [
  ['GiB', 1_073_741_824],
  ['MiB', 1_048_576],
  ['KiB', 1_024],
] as const

const TIMES = [
  ['min', 60_000],
  ['s', 1_000],
] as const

/** A limit as people read it: the largest unit that says it without a fraction. */
export function amountText(amount: number, unit: LimitUnit): string {
  if (unit === 'count') return amount.toLocaleString()
  if (unit === 'hours') return `${amount.toLocaleString()} h`
  const units: readonly (readonly [string, number])[] = unit === 'bytes' ? SIZES : TIMES
  const whole = units.find(([, size]) => amount >= size && amount % size === 0)
  if (whole === undefined) return `${amount.toLocaleString()} ${unit === 'bytes' ? 'bytes' : 'ms'}`
  return `${(amount / whole[1]).toLocaleString()} ${whole[0]}`
}
