import type { Asset, ChainId, Hex } from '../../chain/assets.ts'
import type { OutflowStore } from '../outflow.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { SweepChain } from './sweep-chain.ts'
import type { SweepKeys } from './sweep-keys.ts'

/** A deposit address, and which key of which wallet is its own. */
export interface SweepAddress {
  readonly addressId: string
  readonly address: Hex
  readonly xpubId: string
  readonly derivationIndex: number
}

export interface SweepAddresses {
  /** The addresses of a chain, a page at a time, after the one that is named. */
  listAddresses(
    chainId: ChainId,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly SweepAddress[]>
}

/** What a round is given. */
export interface SweepDeps {
  readonly chain: SweepChain
  readonly keys: SweepKeys
  readonly addresses: SweepAddresses
  readonly outflows: OutflowStore
  readonly clock: Clock
  /** Keeps other sweepers away for a while more. Returns false where another one is at work by now. */
  readonly keepLease: () => Promise<boolean>
  /** Smallest units from which on an address is emptied. */
  readonly thresholds: Readonly<Record<Asset, bigint>>
}
