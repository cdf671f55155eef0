import { groupDigits, trimEndOf } from '@svc/contract'

/** How much of an asset was paid: every digit of it, without the zeros at its end. */
export function assetAmount(amount: string, asset: string): string {
  const [whole = '', fraction = ''] = amount.split('.')
  const rest = trimEndOf(fraction, '0')
  return `${groupDigits(whole)}${rest === '' ? '' : `.${rest}`} ${asset}`
}
