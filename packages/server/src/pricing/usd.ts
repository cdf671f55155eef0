/** Amounts in US dollars: those of the contract, and what only prices need. */
import { ATTO_PER_NANOCREDIT, attoUsdOf, type AttoUsd, BPS } from '@svc/contract/usd'
import { MARGIN_BPS, type Nanocredits } from '@svc/contract'

export { attoUsdOf, chargeForCost, costAtPar, formatDecimal, formatUsd, parseUsd, ZERO_USD } from '@svc/contract/usd'

/** Price × (1 + margin) in 10⁻¹⁹ USD: the selling price of one unit, exact and not rounded. */
export function sellingPriceTenthAtto(price: AttoUsd): bigint {
  return (price * (BPS + BigInt(MARGIN_BPS)) * 10n) / BPS
}

/**
 * The highest cost whose charge does not exceed a selling price: price ÷ 1.2, rounded down.
 *
 * Source: decision 0003 (the sandbox's cost of an alias leaves the card exact).
 */
export function costCoveredBy(price: Nanocredits): AttoUsd {
  return attoUsdOf((price * ATTO_PER_NANOCREDIT * BPS) / (BPS + BigInt(MARGIN_BPS)))
}

/** Nanocredits at par as dollars, exact. */
export function usdOfNanocredits(amount: bigint): AttoUsd {
  return attoUsdOf(amount * ATTO_PER_NANOCREDIT)
}
