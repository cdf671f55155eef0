/**
 * From what an upstream reported to what the caller pays, for every kind that is charged by its tokens. Pure: the rules
 * of the price are the pricing room's.
 */
import { billingPrices, chargeChat, chargeEstimate, estimateUsage } from '../pricing/charge-chat.ts'
import { listCost } from '../pricing/list-cost.ts'
import type { AttoUsd, Charge, ChatPrice, ChatUsage } from '../pricing/price.ts'
import type { CountedTokens } from './paid-work.ts'
import type { ReportedUsage } from '../upstreams/chat-upstream.ts'
import type { UpstreamBill } from '../upstreams/upstream-failure.ts'
import { withinLimit } from './kept-limit.ts'

/** What was counted here, for the case that the upstream counts nothing. */
export interface Counted {
  readonly promptTokens: number
  readonly outputBytes: number
  /** The most output tokens that the upstream may make; null where it got no limit. */
  readonly limit: number | null
  /** Those of them that the reported usage has not seen, where a stream broke off after it; 0 otherwise. */
  readonly laterBytes: number
}

export interface DecidedCharge {
  readonly charge: Charge
  readonly usage: ChatUsage
  /** True when the quantities are our own. */
  readonly estimated: boolean
}

/**
 * Prices what was delivered: by the upstream's own usage where it reported any, else by what was counted here. Usage
 * that was reported before the last of the output is completed by what was counted since. A reported cost counts in all
 * cases.
 */
export function decideCharge(price: ChatPrice, reported: ReportedUsage, counted: Counted): DecidedCharge {
  if (reported.usage !== null && counted.laterBytes === 0) {
    return { charge: chargeChat(price, reported.usage, reported.cost), usage: reported.usage, estimated: false }
  }
  const usage = reported.usage === null ? estimate(counted) : withLaterOutput(reported.usage, counted)
  const charge = reported.cost === null ? chargeEstimate(price, usage) : chargeChat(price, usage, reported.cost)
  return { charge, usage, estimated: true }
}

function estimate(counted: Counted): ChatUsage {
  const usage = estimateUsage(counted)
  return { ...usage, completionTokens: withinLimit(usage.completionTokens, counted.limit) }
}

function withLaterOutput(usage: ChatUsage, { laterBytes, limit }: Counted): ChatUsage {
  const later = estimateUsage({ promptTokens: 0, outputBytes: laterBytes })
  const tokens = withinLimit(usage.completionTokens + later.completionTokens, limit)
  return { ...usage, completionTokens: Math.max(tokens, usage.completionTokens) }
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
