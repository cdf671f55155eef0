import { ASSET_DECIMALS, type Asset } from './assets.ts'

const AMOUNT = /^(\d{1,12})(?:\.(\d+))?$/

/**
 * Reads an amount of an asset as a person writes it, an exact decimal such as `25` or `0.01`.
 *
 * @returns smallest units; null for a text that is no amount, or that has more decimals than the asset.
 */
export function parseAmount(text: string, asset: Asset): bigint | null {
  const decimals = ASSET_DECIMALS[asset]
  const [, whole, fraction = ''] = AMOUNT.exec(text) ?? []
  if (whole === undefined || fraction.length > decimals) return null
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}
