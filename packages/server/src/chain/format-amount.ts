import { trimEndOf } from '@svc/contract'
import { ASSET_DECIMALS, type Asset } from './assets.ts'

/** Decimals that an amount shows at least, whatever its zeros: those of a dollar token. */
const DECIMALS_MIN = 6

/** An amount of an asset as an exact decimal: `25.000000`, `0.0123456789`. @param amount smallest units. */
export function formatAmount(amount: bigint, asset: Asset): string {
  const decimals = ASSET_DECIMALS[asset]
  const digits = amount.toString().padStart(decimals + 1, '0')
  const fraction = trimEndOf(digits.slice(-decimals), '0').padEnd(DECIMALS_MIN, '0')
  return `${digits.slice(0, -decimals)}.${fraction}`
}
