/**
 * A quote: the most that a request can cost, agreed before it is sent, and the prices that made it. A request that is
 * sent with it is held and charged at these prices, whatever the catalog says meanwhile. Source: decision 0150.
 */
import { type Nanocredits, nanocreditsOf, type UsageType } from '@svc/contract'
import type { MediaPrices } from '../pricing/media-price.ts'
import type { ChatPrice } from '../pricing/price.ts'

/** The header that names the quote of a request. */
export const QUOTE_HEADER = 'x-svc-quote'

/** What an upstream was quoted at. One of both prices is there. */
export interface QuotedTarget {
  readonly upstream: string
  readonly upstreamModel: string
  readonly price: ChatPrice | null
  readonly media: MediaPrices | null
}

export interface Quote {
  readonly type: UsageType
  /** By the id of the catalog, whatever name the request had for it. */
  readonly model: string
  /** The sizes that the bound was made by, so that the same request has the same bound again. */
  readonly contextLength: number | null
  readonly maxOutputTokens: number | null
  readonly most: Nanocredits
  /** The part of it that is for the input, where the request names no limit of its output. */
  readonly fixed: Nanocredits
  /** Every upstream that may come to serve the request. */
  readonly targets: readonly QuotedTarget[]
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** All of a bound. */
export function wholeBound(bound: {
  readonly fixed: bigint
  readonly perUnit: bigint
  readonly units: number
}): Nanocredits {
  return nanocreditsOf(bound.fixed + bound.perUnit * BigInt(bound.units))
}
