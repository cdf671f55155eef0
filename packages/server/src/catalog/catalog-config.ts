/**
 * What an operator decides about the catalog. Parsed by the configuration; this room only reads it.
 */
import type { CardUnit } from '../pricing/card.ts'
import type { TokenPrices } from '../pricing/price.ts'

export type UpstreamKind = 'sandbox' | 'openrouter' | 'openai-compatible'

export interface CatalogUpstream {
  readonly name: string
  readonly kind: UpstreamKind
  /** Whether its answers say what each request cost. */
  readonly reportsCost: boolean
}

/** Where requests for one alias or id go. */
export interface CatalogRoute {
  /** Name of a configured upstream. */
  readonly upstream: string
  /** The id that this upstream knows. */
  readonly model: string
  /** What it costs there; null when nothing is configured. */
  readonly price: TokenPrices | null
}

export interface CatalogConfig {
  /** `openrouter/` by default, empty for an `openai-compatible` upstream. */
  readonly prefix: string
  readonly cardUnit: CardUnit
  /** The upstream whose list makes the catalog and that serves what has no route. */
  readonly primary: CatalogUpstream
  /** All others that routes may name. */
  readonly others: readonly CatalogUpstream[]
  /** By alias, or by catalog id without the prefix. */
  readonly routes: Readonly<Record<string, CatalogRoute>>
  /** By alias, or by catalog id without the prefix. */
  readonly prices: Readonly<Record<string, TokenPrices>>
  /** For models of the upstream's list that have no other price. Never applied to an alias, which has its card. */
  readonly defaultPrice: TokenPrices | null
  /** A bind that is not loopback: aliases whose cost nobody can tell are refused. */
  readonly production: boolean
}
