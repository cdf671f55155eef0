import { creditsJson, MARGIN_BPS, nanocreditsOf, type ModelEntry, type Printed, type RawJson } from '@svc/contract'
import type { AttoUsd } from '../pricing/price.ts'
import { chargeForCost, formatDecimal } from '../pricing/usd.ts'
import type { MediaOffer } from './media-offer.ts'
import { type Model, pricesOf } from './model.ts'
import { dearestSellingPrice, type SellingPrice, type SellingRate } from './selling-price.ts'

/** Selling prices are whole numbers of 10⁻¹⁹ USD per token. */
const USD_DECIMALS = 19

/**
 * Renders a model for `GET /v1/models`. Prices are selling prices, margin included: in USD per token as text for
 * readers of OpenRouter's lists, and in credits per million tokens with exact digits.
 *
 * Source: spec 2.12 and 8.
 */
export function renderModel(model: Model): Printed<ModelEntry> {
  const selling = dearestSellingPrice(pricesOf(model))
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.ownedBy,
    name: model.name,
    description: model.description ?? '',
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    architecture: {
      modality: `${model.inputModalities.join('+')}->${model.outputModalities.join('+')}`,
      input_modalities: [...model.inputModalities],
      output_modalities: [...model.outputModalities],
    },
    supported_parameters: [...model.supportedParameters],
    canonical_slug: model.id,
    links: { details: `/api/v1/models/${model.id}` },
    default_parameters: null,
    per_request_limits: null,
    supported_voices: model.media === null || model.media.type !== 'speech' ? null : voicesOf(model.media),
    top_provider: {
      context_length: model.contextLength,
      max_completion_tokens: model.maxOutputTokens,
      is_moderated: false,
    },
    pricing: selling === null ? null : renderPricing(selling),
    svc: {
      type: model.type,
      featured: model.featured,
      confidential: model.confidential,
      prompt_training: model.promptTraining,
      alias_for: model.aliasFor,
      aliases: [...model.aliases],
      credits_per_1m_input: selling === null ? null : creditsPerMillion(selling.input),
      credits_per_1m_output: selling === null ? null : creditsPerMillion(selling.output),
      ...renderUnit(model),
      margin_bps: MARGIN_BPS,
    },
  }
}

/** The unit in which media are sold, and what one costs with the default settings. */
function renderUnit({ media }: Model) {
  if (media === null) return { unit: null, credits_per_unit: null }
  const { prices } = media
  switch (prices.type) {
    case 'image':
      return { unit: 'image', credits_per_unit: creditsForCost(prices.perImage) } as const
    case 'speech':
      return { unit: prices.unit, credits_per_unit: creditsForCost(prices.perUnit), voices: voicesOf(media) } as const
    default:
      return { unit: 'second', credits_per_unit: creditsForCost(prices.perSecond) } as const
  }
}

function voicesOf(media: MediaOffer): string[] {
  if (media.type !== 'speech') return []
  const { voices, defaultVoice } = media.facts
  return defaultVoice === null ? [...voices] : [...new Set([defaultVoice, ...voices])]
}

/** What a list price is sold at, in credits: the margin is included, and the last digit rounds up. */
export function creditsForCost(cost: AttoUsd): RawJson {
  return creditsJson(chargeForCost(cost))
}

function renderPricing(selling: SellingPrice) {
  const overrides = selling.tiers.map((tier) => ({ min_prompt_tokens: tier.aboveInputTokens, ...renderRate(tier) }))
  return {
    ...renderRate(selling),
    ...(selling.audioInput === null ? {} : { audio: usd(selling.audioInput) }),
    ...(selling.audioOutput === null ? {} : { audio_output: usd(selling.audioOutput) }),
    ...(selling.imageOutput === null ? {} : { image_output: usd(selling.imageOutput) }),
    ...(selling.request === null ? {} : { request: usd(selling.request) }),
    ...(overrides.length === 0 ? {} : { overrides }),
  }
}

function renderRate(rate: SellingRate) {
  return {
    prompt: usd(rate.input),
    completion: usd(rate.output),
    ...(rate.cachedInput === null ? {} : { input_cache_read: usd(rate.cachedInput) }),
    ...(rate.cacheWrite === null ? {} : { input_cache_write: usd(rate.cacheWrite) }),
    ...(rate.cacheWriteLong === null ? {} : { input_cache_write_1h: usd(rate.cacheWriteLong) }),
  }
}

function usd(amount: bigint): string {
  return formatDecimal(amount, USD_DECIMALS)
}

/** 10⁻¹⁹ USD per token are 10⁻¹⁰ credits per million tokens; credits have nine decimals, and the last rounds up. */
function creditsPerMillion(amount: bigint): RawJson {
  return creditsJson(nanocreditsOf((amount + 9n) / 10n))
}
