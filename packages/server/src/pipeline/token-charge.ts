/**
 * From what an upstream reported to what the caller pays, for every kind that is charged by its tokens. Pure: the rules
 * of the price are the pricing room's.
 */
import { billingPrices, chargeChat, chargeEstimate } from '../pricing/charge-chat.ts'
import { listCost } from '../pricing/list-cost.ts'
import type { AttoUsd, Charge, ChatPrice, ChatUsage } from '../pricing/price.ts'
import { attoUsdOf } from '../pricing/usd.ts'
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

/** One of several answers: what its upstream reported, and what was counted here. */
interface Answered {
  readonly completed: ReportedUsage
  readonly counted: Counted
}

/**
 * Prices several answers of one request as one: their tokens and their costs are added up, and rounded once. At a list
 * with tiers, the cost is that of each answer by itself.
 */
export function decideTogether(price: ChatPrice, answers: readonly Answered[]): DecidedCharge {
  const believed = answers.map(({ completed, counted }) => ({ completed, ...believeUsage(completed, counted) }))
  const usage = believed.map((each) => each.usage).reduce(addUsage)
  const isReported = believed.every((each) => each.isReported)
  const cost = sumCost(price, believed)
  const charge = cost === null && !isReported ? chargeEstimate(price, usage) : chargeChat(price, usage, cost)
  return { charge, usage, estimated: !isReported }
}

/** Null where the list makes the cost of all tokens together. */
function sumCost(
  price: ChatPrice,
  answers: readonly { readonly completed: ReportedUsage; readonly usage: ChatUsage }[],
): AttoUsd | null {
  const prices = billingPrices(price)
  const costs = answers.map(({ completed, usage }) => wholeCost(price, completed, usage))
  const isFlat = prices === null || prices.tiers.length === 0
  if (isFlat && costs.every((cost) => cost === null)) return null
  const listed = answers.map(({ usage }) => (prices === null ? 0n : listCost(prices, usage)))
  return attoUsdOf(costs.reduce<bigint>((sum, cost, place) => sum + (cost ?? listed[place] ?? 0n), 0n))
}

function addUsage(left: ChatUsage, right: ChatUsage): ChatUsage {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]) as ReadonlySet<keyof ChatUsage>
  const sums = [...names].map((name) => [name, (left[name] ?? 0) + (right[name] ?? 0)])
  const requests = (left.requests ?? 1) + (right.requests ?? 1)
  return { ...(Object.fromEntries(sums) as unknown as ChatUsage), requests }
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
