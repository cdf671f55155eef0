/**
 * What a chat request costs its caller: the larger of the rate card and the upstream cost plus the margin.
 */
import { MARGIN_BPS, nanocreditsOf, ZERO, type Nanocredits } from '@svc/contract'
import { formatPerMillion } from './card.ts'
import { findTier, listCost, longWritePrice, splitTokens, tokenCount } from './list-cost.ts'
import type { AttoUsd, CardRate, ChargeBasis, Charge, ChatPrice, ChatUsage, TokenPrices } from './price.ts'
import { attoUsdOf, chargeForCost, costAtPar, formatUsd } from './usd.ts'

/** Bytes of text that count as one token where an upstream reports no usage. Source: decision 0003 (estimates). */
export const BYTES_PER_ESTIMATED_TOKEN = 4

/**
 * Prices one finished chat request.
 *
 * The charge is the larger of usage × card and cost × 1.2. The cost is what the upstream reports for this request;
 * where it reports none, usage × list price, unless the list is the bundled snapshot and there is a card: a snapshot
 * never makes an alias dearer. The result is rounded once, up, to the next nanocredit.
 *
 * @param reportedCost null when the upstream did not say.
 *
 * Source: spec 2.14 and 3, decision 0003 (charge of a chat request).
 */
export function chargeChat(price: ChatPrice, usage: ChatUsage, reportedCost: AttoUsd | null): Charge {
  return priceChat(price, usage, reportedCost, null)
}

/**
 * Prices a request whose usage was estimated here, because the upstream reported none. The same rules, with basis
 * `estimate`.
 *
 * @param usage from `estimateUsage`.
 */
export function chargeEstimate(price: ChatPrice, usage: ChatUsage): Charge {
  return priceChat(price, usage, null, 'estimate')
}

/** Audio and images of an answer. */
export interface MadeMedia {
  /** As models stream audio: samples of 16 bits, 24,000 a second. */
  readonly audioBytes: number
  readonly images: number
}

/** Bytes of audio of one token. Source: OpenAI, "Managing costs": a token is 50 ms of audio that is made. */
const BYTES_PER_AUDIO_TOKEN = 2_400
/** Tokens of an image that is made. Source: Gemini API, "Image generation", of up to a megapixel. */
const TOKENS_PER_IMAGE = 1_290

/**
 * Usage where the upstream reported none: the prompt as estimated before the call, and one token for every four bytes
 * of output, rounded up, with what audio and images usually count.
 *
 * @param counted.promptTokens from `estimatePrompt`.
 * @param counted.outputBytes UTF-8 bytes of text, reasoning and tool arguments that were delivered, all choices
 * together.
 * @param counted.media absent: none.
 */
export function estimateUsage(counted: {
  readonly promptTokens: number
  readonly outputBytes: number
  readonly media?: MadeMedia
}): ChatUsage {
  const { promptTokens, outputBytes, media = NO_MEDIA } = counted
  const audio = Math.ceil(media.audioBytes / BYTES_PER_AUDIO_TOKEN)
  const images = media.images * TOKENS_PER_IMAGE
  return {
    promptTokens,
    completionTokens: Math.ceil(outputBytes / BYTES_PER_ESTIMATED_TOKEN) + audio + images,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    ...(audio > 0 ? { audioOutputTokens: audio } : {}),
    ...(images > 0 ? { imageOutputTokens: images } : {}),
  }
}

const NO_MEDIA: MadeMedia = { audioBytes: 0, images: 0 }

/** Usage × card, exact without rounding. The card has one price for every prompt token, cached or not. */
export function cardCharge(card: CardRate, usage: ChatUsage): Nanocredits {
  return nanocreditsOf(tokenCount(usage.promptTokens) * card.input + tokenCount(usage.completionTokens) * card.output)
}

function priceChat(
  price: ChatPrice,
  usage: ChatUsage,
  reportedCost: AttoUsd | null,
  estimate: 'estimate' | null,
): Charge {
  const byCard = price.card === null ? null : cardCharge(price.card, usage)
  const prices = reportedCost === null ? billingPrices(price) : null
  const cost = reportedCost ?? (prices === null ? null : listCost(prices, usage))
  const byCost = cost === null ? ZERO : chargeForCost(cost)
  const cardDecides = byCard !== null && byCard >= byCost
  const decided: ChargeBasis = cardDecides ? 'card' : prices === null ? 'cost' : 'list'
  const parts = [
    `"basis":"${decided}"`,
    ...(estimate === null ? [] : ['"estimated":true']),
    `"prompt_tokens":${tokenCount(usage.promptTokens)},"completion_tokens":${tokenCount(usage.completionTokens)}`,
    ...(price.card === null ? [] : [cardText(price.card)]),
    ...(prices === null ? [] : [listText(prices, usage)]),
    ...(cost === null ? [] : [`"cost_usd":"${formatUsd(cost)}","margin_bps":${MARGIN_BPS}`]),
  ]
  return {
    charge: cardDecides ? byCard : byCost,
    cost: cost === null ? ZERO : costAtPar(cost),
    basis: estimate ?? decided,
    pricing: `{${parts.join(',')}}`,
  }
}

/**
 * The list prices that may decide a charge and its hold; null when only the card or a reported cost may. A snapshot
 * never makes an alias dearer. Source: decision 0003.
 */
export function billingPrices(price: ChatPrice): TokenPrices | null {
  if (price.list === null) return null
  if (price.card !== null && price.list.source === 'snapshot') return null
  return price.list.prices
}

/** Whether tokens have a price, so that a count which is not reported has to be made. */
export function sellsTokens(price: ChatPrice): boolean {
  const prices = billingPrices(price)
  return price.card !== null || prices === null || prices.input > 0n || prices.tiers.length > 0
}

// Prices are the same objects for thousands of requests, and their text is a measurable part of a charge: printed
// once each.
const cardTexts = new WeakMap<CardRate, string>()
const rateTexts = new WeakMap<object, string>()

function cardText(card: CardRate): string {
  let text = cardTexts.get(card)
  if (text === undefined) {
    const input = formatPerMillion(card.input)
    const output = formatPerMillion(card.output)
    text = `"card":{"credits_per_1m_input":"${input}","credits_per_1m_output":"${output}"}`
    cardTexts.set(card, text)
  }
  return text
}

function listText(prices: TokenPrices, usage: ChatUsage): string {
  const tokens = splitTokens(usage)
  const quantities = Object.entries({
    input: tokens.input,
    cached_input: tokens.cachedInput,
    cache_write: tokens.cacheWrite,
    cache_write_long: tokens.cacheWriteLong,
    audio_input: tokens.audioInput,
    output: tokens.output,
    audio_output: tokens.audioOutput,
    image_output: tokens.imageOutput,
    // Named where it is charged otherwise than once.
    request: prices.request === null || (usage.requests ?? 1) === 1 ? 0n : tokenCount(usage.requests ?? 1),
  }).flatMap(([kind, count]) => (count === 0n ? [] : [`"${kind}":${count}`]))
  return `"tokens":{${quantities.join(',')}},${rateText(prices, usage)}`
}

function rateText(prices: TokenPrices, usage: ChatUsage): string {
  const tier = findTier(prices, usage.promptTokens)
  const rate = tier ?? prices
  let text = rateTexts.get(rate)
  if (text === undefined) {
    const longWrite = attoUsdOf(longWritePrice(prices, rate))
    const perToken = Object.entries({
      input: rate.input,
      cached_input: rate.cachedInput ?? rate.input,
      cache_write: rate.cacheWrite ?? rate.input,
      audio_input: prices.audioInput ?? rate.input,
      output: rate.output,
      audio_output: prices.audioOutput ?? rate.output,
      image_output: prices.imageOutput ?? rate.output,
      // Named where it differs: a rare kind makes no record longer.
      ...(longWrite === (rate.cacheWrite ?? rate.input) ? {} : { cache_write_long: longWrite }),
    }).map(([kind, amount]) => `"${kind}":"${formatUsd(amount)}"`)
    const above = tier === null ? '' : `"above_input_tokens":${tier.aboveInputTokens},`
    const request = prices.request === null ? '' : `,"request":"${formatUsd(prices.request)}"`
    text = `"usd_per_token":{${above}${perToken.join(',')}${request}}`
    rateTexts.set(rate, text)
  }
  return text
}
