import type { ChainId, Hex } from './assets.ts'

/** What is pinned of a chain, and what it must keep. */
export interface ChainRules {
  readonly chainId: ChainId
  readonly token: Hex
  readonly ethFeed: Hex | null
  readonly tokenFeed: Hex | null
  /** USD for one ETH where there is no feed. */
  readonly fixedEthUsd: string | null
  /** A source of the price of ETH on the chain beside its feed; null where there is none, or it is elsewhere. */
  readonly secondPrice: { readonly kind: 'feed' | 'pool'; readonly address: Hex } | null
  readonly multicall: Hex
  readonly headAgeMaxMs: number
  readonly finalityAgeMaxMs: number
}
