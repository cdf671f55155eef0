/** From what an upstream reported to what the caller pays. Pure: the rules of the price are the pricing room's. */
import { type ErrorCode, ZERO } from '@svc/contract'
import { billingPrices, chargeChat, chargeEstimate, estimateUsage } from '../pricing/charge-chat.ts'
import { listCost } from '../pricing/list-cost.ts'
import type { AttoUsd, ChatCharge, ChatPrice, ChatUsage } from '../pricing/price.ts'
import { NO_FACTS, type Settlement } from '../billing/settlement.ts'
import type { ReportedUsage } from '../upstream/chat-upstream.ts'
import type { UpstreamBill } from '../upstream/upstream-failure.ts'
import { withinLimit } from './kept-limit.ts'

/** What was counted here, for the case that the upstream counts nothing. */
export interface Counted {
  readonly promptTokens: number
  readonly outputBytes: number
  /** The most output tokens that the upstream was told; null where it was told none. */
  readonly limit: number | null
  /** Those of them that the reported usage has not seen, where a stream broke off after it; 0 otherwise. */
  readonly laterBytes: number
}

export interface DecidedCharge {
  readonly charge: ChatCharge
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

/** Who served a request: for its usage record. */
export interface ServedBy {
  readonly upstream: string
  /** The model, or the target of its route that served. */
  readonly model: { readonly upstreamModel: string }
  readonly generationId: string | null
}

/** Makes the settlement of a request that is free; what upstreams ask for it all the same stands in its bill. */
export function freeSettlement(served: ServedBy, errorCode: ErrorCode): Settlement {
  return {
    charge: ZERO,
    cost: ZERO,
    facts: {
      ...NO_FACTS,
      upstream: served.upstream,
      upstreamModel: served.model.upstreamModel,
      generationId: served.generationId,
      status: 'error',
      errorCode,
    },
  }
}

/** What an answer costs by what the upstream counted, where it names no cost; null where nobody can say. */
export function countedCost({ price }: { readonly price: ChatPrice }, { usage = null }: UpstreamBill): AttoUsd | null {
  const prices = billingPrices(price)
  return usage === null || prices === null || !('promptTokens' in usage) ? null : listCost(prices, usage)
}

/** Makes the settlement of a request that is charged. */
export function settlementOf(decided: DecidedCharge, served: ServedBy, status: 'ok' | 'cancelled'): Settlement {
  const { charge, usage } = decided
  return {
    charge: charge.charge,
    cost: charge.cost,
    facts: {
      ...NO_FACTS,
      upstream: served.upstream,
      upstreamModel: served.model.upstreamModel,
      generationId: served.generationId,
      status,
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      cachedTokens: usage.cachedTokens,
      reasoningTokens: usage.reasoningTokens,
      basis: charge.basis,
      estimated: decided.estimated,
      pricing: charge.pricing,
    },
  }
}
