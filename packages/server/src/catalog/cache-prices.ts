/** What a provider's cache costs where it is not listed. */
import { attoUsdOf } from '../pricing/usd.ts'
import type { AttoUsd, PriceTier, TokenPrices } from '../pricing/price.ts'
import type { UpstreamKind } from './catalog-config.ts'

type Rate = Pick<PriceTier, 'input' | 'cachedInput' | 'cacheWrite' | 'cacheWriteLong'>

/** Parts of the input price, in hundredths, for all models alike. Source: Anthropic, pricing, "Prompt caching". */
const ANTHROPIC = { read: 10n, write: 125n, longWrite: 200n } as const

function part(input: AttoUsd, hundredths: bigint): AttoUsd {
  return attoUsdOf((input * hundredths + 99n) / 100n)
}

function fill<Filled extends Rate>(rate: Filled): Filled {
  const { input } = rate
  return {
    ...rate,
    cachedInput: rate.cachedInput ?? part(input, ANTHROPIC.read),
    cacheWrite: rate.cacheWrite ?? part(input, ANTHROPIC.write),
    cacheWriteLong: rate.cacheWriteLong ?? part(input, ANTHROPIC.longWrite),
  }
}

/**
 * Fills in what the cache costs at a kind of upstream: a write to Anthropic's costs more than the input that it is a
 * part of, so that a price without it would be a loss.
 */
export function withCachePrices(kind: UpstreamKind, prices: TokenPrices): TokenPrices {
  return kind === 'anthropic' ? { ...fill(prices), tiers: prices.tiers.map(fill) } : prices
}
