/**
 * The shapes of prices and usage. This room is pure: it knows no database, no upstream and no clock.
 */
import type { Nanocredits } from '@svc/contract'
import type { AttoUsd } from '@svc/contract/usd'

export type { AttoUsd } from '@svc/contract/usd'

/**
 * Upstream prices of text models per token, before the margin. An absent kind is priced as the kind it is a part of.
 */
export interface TokenPrices {
  readonly input: AttoUsd
  readonly output: AttoUsd
  readonly cachedInput: AttoUsd | null
  readonly cacheWrite: AttoUsd | null
  /** Per request, beside the tokens. */
  readonly request: AttoUsd | null
  /** Media tokens, where the list sells them at a price of their own; absent means that they cost what text costs. */
  readonly audioInput?: AttoUsd | null
  readonly audioOutput?: AttoUsd | null
  readonly imageOutput?: AttoUsd | null
  /** Cache writes with a long life; absent: they cost what all writes cost. */
  readonly cacheWriteLong?: AttoUsd | null
  /** In rising order. The last tier whose limit the prompt exceeds replaces the prices of the whole request. */
  readonly tiers: readonly PriceTier[]
}

export interface PriceTier {
  readonly aboveInputTokens: number
  readonly input: AttoUsd
  readonly output: AttoUsd
  readonly cachedInput: AttoUsd | null
  readonly cacheWrite: AttoUsd | null
  /** Absent: the dearer of what a long write costs without the tier and what all writes cost within it. */
  readonly cacheWriteLong?: AttoUsd | null
}

/** A row of the rate card: selling prices per token, margin included. */
export interface CardRate {
  readonly input: Nanocredits
  readonly output: Nanocredits
}

/** Where list prices come from, in falling order of trust. A snapshot never makes an alias dearer. */
export type ListSource = 'configured' | 'live' | 'snapshot'

export interface ListPrice {
  readonly prices: TokenPrices
  readonly source: ListSource
}

/**
 * Everything that can decide what a chat request costs: a card for featured aliases, a list price, or both. Never
 * neither.
 */
export type ChatPrice =
  | { readonly card: CardRate; readonly list: ListPrice | null }
  | { readonly card: null; readonly list: ListPrice }

/**
 * Tokens as the charge counts them. `cachedTokens` and `cacheWriteTokens` are parts of `promptTokens`,
 * `reasoningTokens` of `completionTokens`; the adapter has made it so whatever the upstream's own convention is.
 */
export interface ChatUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly reasoningTokens: number
  /** Part of `cacheWriteTokens`: those with a long life. Absent means 0. */
  readonly cacheWriteLongTokens?: number
  /**
   * Parts of `promptTokens` and `completionTokens`, for models that sell media tokens at their own price. Absent
   * means 0.
   */
  readonly audioInputTokens?: number
  readonly audioOutputTokens?: number
  readonly imageOutputTokens?: number
  /** How often the price of a request is charged. Absent means once. */
  readonly requests?: number
}

/** What an upstream says of an answer when it is asked afterwards. */
export interface LateCost {
  readonly cost: AttoUsd
  /** What it counted, until it stopped; null where it counts nothing. */
  readonly usage: ChatUsage | null
}

export type ChargeBasis = 'card' | 'cost' | 'list' | 'estimate'

/** What a request costs, and how that came about. */
export interface Charge {
  readonly charge: Nanocredits
  /** What the upstream charges us, at par, rounded up; 0 when that is unknown. */
  readonly cost: Nanocredits
  readonly basis: ChargeBasis
  /** JSON text for the usage record: quantities and unit prices that give the charge again. */
  readonly pricing: string
}

/** The bound of one request's charge: `fixed` for the prompt, `perOutputToken` for each token it may make. */
export interface TokenBound {
  readonly fixed: Nanocredits
  readonly perOutputToken: Nanocredits
}
