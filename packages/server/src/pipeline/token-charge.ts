/**
 * From what an upstream reported to what the caller pays, for every kind that is charged by its tokens. Pure: the rules
 * of the price are the pricing room's.
 */
import { billingPrices, chargeChat, chargeEstimate } from '../pricing/charge-chat.ts'
import { listCost } from '../pricing/list-cost.ts'
import type { AttoUsd, Charge, ChatPrice, ChatUsage } from '../pricing/price.ts'
import type { CountedTokens } from './paid-work.ts'
import type { ReportedUsage } from '../upstreams/chat-upstream.ts'
import type { UpstreamBill } from '../upstreams/upstream-failure.ts'
import { believeUsage, type Counted } from './believed-usage.ts'

export interface DecidedCharge {
  readonly charge: Charge
  readonly usage: ChatUsage
  /** True when the quantities are our own. */
  readonly estimated: boolean
}

/**
 * Prices what was delivered: by the upstream's own usage as far as it can be true, else by what was counted here. A
 * reported cost counts in all cases.
 */
export function decideCharge(price: ChatPrice, reported: ReportedUsage, counted: Counted): DecidedCharge {
  const { usage, isReported } = believeUsage(reported, counted)
  const cost = wholeCost(price, reported, usage)
  const charge = cost === null && !isReported ? chargeEstimate(price, usage) : chargeChat(price, usage, cost)
  return { charge, usage, estimated: !isReported }
}

/** The reported cost; null where a price list says that it was more in the end than what was reported until then. */
function wholeCost(price: ChatPrice, { cost, isCostPartial = false }: ReportedUsage, usage: ChatUsage): AttoUsd | null {
  const prices = isCostPartial ? billingPrices(price) : null
  return cost !== null && prices !== null && listCost(prices, usage) > cost ? null : cost
}

/** What an answer costs by what the upstream counted, where it names no cost; null where it cannot be known. */
export function countedCost({ price }: { readonly price: ChatPrice }, { usage = null }: UpstreamBill): AttoUsd | null {
  const prices = billingPrices(price)
  return usage === null || prices === null || !('promptTokens' in usage) ? null : listCost(prices, usage)
}

/** What the usage record counts. */
export function tokensOf({ usage }: DecidedCharge): CountedTokens {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage
  return { promptTokens, completionTokens, cachedTokens, reasoningTokens }
}
