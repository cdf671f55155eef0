/**
 * How much a chat request can cost at most, before it is known what it costs.
 */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import { billingPrices } from './charge-chat.ts'
import { longWritePrice, tokenCount } from './list-cost.ts'
import type { AttoUsd, ChatPrice, TokenBound, PriceTier, TokenPrices } from './price.ts'
import { attoUsdOf, chargeForCost, ZERO_USD } from './usd.ts'

/**
 * The dearest that can happen to a request: the card and the list price plus margin compared, at the top tier that
 * the prompt can reach, with cache writes and media tokens where they are dearer than text, and the price per
 * request.
 *
 * The whole hold is `fixed + perOutputToken × n × output tokens`; the caller multiplies. An upstream that reports
 * more than its own list price can still exceed it: that is an overrun.
 *
 * @param promptTokens from `boundPrompt`.
 *
 * Source: decision 0005 (size of a hold).
 */
export function boundChat(price: ChatPrice, promptTokens: number): TokenBound {
  const prompt = tokenCount(promptTokens)
  const card: TokenBound | null =
    price.card === null ? null : { fixed: nanocreditsOf(prompt * price.card.input), perOutputToken: price.card.output }
  const prices = billingPrices(price)
  const list = prices === null ? null : boundByList(prices, promptTokens)
  return dearestBound([card, list].filter((bound) => bound !== null))
}

/**
 * The dearest of several prices that can come to decide the charge: those of every upstream that may serve the request.
 *
 * @param prices at least one.
 */
export function boundRoute(prices: readonly ChatPrice[], promptTokens: number): TokenBound {
  const [first] = prices
  if (first !== undefined && prices.length === 1) return boundChat(first, promptTokens)
  return dearestBound(prices.map((price) => boundChat(price, promptTokens)))
}

/** What a prompt costs at most: so much a token, and so much a request. Each is rounded up to the nanocredit. */
export interface PromptRate {
  readonly perToken: Nanocredits
  readonly perRequest: Nanocredits
}

/**
 * The one of several prices at which a prompt is dearest: that of the card or of the list of one upstream, and never
 * parts of several.
 *
 * @param prices of every upstream that may serve the request; at least one.
 * @param requests how often the price of a request is charged.
 */
export function dearestPromptRate(prices: readonly ChatPrice[], promptTokens: number, requests = 1): PromptRate {
  const prompt = tokenCount(promptTokens)
  const wholeOf = ({ perToken, perRequest }: PromptRate): bigint => prompt * perToken + BigInt(requests) * perRequest
  const rates = prices.flatMap((price) => {
    const list = billingPrices(price)
    const byList = list === null ? [] : [promptRate(list, promptTokens)]
    return price.card === null ? byList : [{ perToken: price.card.input, perRequest: nanocreditsOf(0n) }, ...byList]
  })
  return rates.reduce((most, rate) => (wholeOf(rate) > wholeOf(most) ? rate : most))
}

function promptRate(prices: TokenPrices, promptTokens: number): PromptRate {
  return {
    perToken: chargeForCost(dearestInput(prices, promptTokens)),
    perRequest: chargeForCost(prices.request ?? ZERO_USD),
  }
}

/** The greater of several bounds, part by part. */
function dearestBound(bounds: readonly TokenBound[]): TokenBound {
  return {
    fixed: greatest(bounds.map((bound) => bound.fixed)),
    perOutputToken: greatest(bounds.map((bound) => bound.perOutputToken)),
  }
}

function boundByList(prices: TokenPrices, promptTokens: number): TokenBound {
  const output = reachableRates(prices, promptTokens).map((rate) => rate.output)
  const dearestOutput = greatest([...output, prices.audioOutput ?? 0n, prices.imageOutput ?? 0n])
  const input = tokenCount(promptTokens) * dearestInput(prices, promptTokens)
  return {
    fixed: chargeForCost(attoUsdOf(input + (prices.request ?? 0n))),
    perOutputToken: chargeForCost(attoUsdOf(dearestOutput)),
  }
}

function dearestInput(prices: TokenPrices, promptTokens: number): AttoUsd {
  const input = reachableRates(prices, promptTokens).flatMap((rate) => [
    ...[rate.input, rate.cachedInput ?? 0n, rate.cacheWrite ?? 0n, longWritePrice(prices, rate)],
  ])
  return attoUsdOf(greatest([...input, prices.audioInput ?? 0n]))
}

function reachableRates(prices: TokenPrices, promptTokens: number): readonly (TokenPrices | PriceTier)[] {
  return [prices, ...prices.tiers.filter((tier) => promptTokens > tier.aboveInputTokens)]
}

function greatest(amounts: readonly bigint[]): Nanocredits {
  return nanocreditsOf(amounts.reduce((most, amount) => (amount > most ? amount : most), 0n))
}
