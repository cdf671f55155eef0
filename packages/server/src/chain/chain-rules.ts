import type { ChainId, Hex } from './assets.ts'

/** What is pinned of a chain, and what it must keep. */
export interface ChainRules {
  readonly chainId: ChainId
  readonly token: Hex
  readonly ethFeed: Hex | null
  readonly tokenFeed: Hex | null
  /** USD for one ETH where there is no feed. */
  readonly fixedEthUsd: string | null
  readonly multicall: Hex
  readonly headAgeMaxMs: number
  readonly finalityAgeMaxMs: number
}
