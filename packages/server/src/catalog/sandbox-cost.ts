import { listCost } from '../pricing/list-cost.ts'
import type { ChatUsage } from '../pricing/price.ts'
import { formatUsd } from '../pricing/usd.ts'
import type { Catalog } from './catalog.ts'

/**
 * What a request costs in the sandbox, in USD as decimal text. An alias costs its card ÷ 1.2, rounded down, so that
 * the card is exact there.
 *
 * @param upstreamModel the id as it is sent to the sandbox.
 * @returns null for a model that the sandbox does not have, or that is not sold by tokens.
 *
 * Source: decision 0003 (charge of a chat request).
 */
export function sandboxCost(catalog: Pick<Catalog, 'find'>, upstreamModel: string, usage: ChatUsage): string | null {
  const prices = catalog.find(upstreamModel)?.price?.list?.prices ?? null
  return prices === null ? null : formatUsd(listCost(prices, usage))
}
