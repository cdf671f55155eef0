import type { ModelType } from '@svc/contract'
import type { TokenPrices } from '../pricing/price.ts'
import type { ListedMedia } from './media-offer.ts'

/** One model of an upstream's list, before the gateway decides how to offer it. */
export interface CatalogRow {
  /** The upstream's id, without our prefix. */
  readonly id: string
  readonly type: ModelType
  readonly name: string
  readonly description: string | null
  /** Seconds since the epoch. */
  readonly created: number
  /** Tokens; null when the list does not say. */
  readonly contextLength: number | null
  readonly maxOutputTokens: number | null
  readonly inputModalities: readonly string[]
  readonly outputModalities: readonly string[]
  readonly supportedParameters: readonly string[]
  /** What chat costs; null when the list has no token prices, or the model makes no text. */
  readonly prices: TokenPrices | null
  /** What media cost; null when the list has no such price, or the model neither makes nor reads media. */
  readonly media: ListedMedia | null
}

/** A whole list, and how far its prices can be trusted. */
export interface CatalogList {
  readonly rows: readonly CatalogRow[]
  readonly source: 'live' | 'snapshot'
  /** Milliseconds since the epoch. */
  readonly updatedAt: number
}
