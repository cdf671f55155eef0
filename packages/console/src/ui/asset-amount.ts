import { groupDigits, trimEndOf } from '@svc/contract'

/** How much of an asset was paid: every digit of it, without the zeros at its end. */
export function assetAmount(amount: string, asset: string): string {
  const shown = amount.includes('.') ? trimEndOf(trimEndOf(amount, '0'), '.') : amount
  return `${groupDigits(shown)} ${asset}`
}
