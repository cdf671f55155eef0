import type { ChainId, Hex } from '../chain/assets.ts'
import type { ChainHead } from '../chain/chain-facts.ts'
import type { ChainReader, ChainView } from '../chain/chain-reader.ts'
import type { DepositAddressStore } from './deposit-address-store.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import { Patience } from './patience.ts'
import type { RetryStore, RetrySubject } from './retry-store.ts'
import type { GuardedDeps } from './settle-guarded.ts'
import type { EtherWatch } from './watch-ether.ts'
import type { WatchStore } from './watch-store.ts'
import { WatchedAddresses } from './watched-addresses.ts'

export interface WatchDeps extends GuardedDeps {
  readonly clock: SystemClock
  readonly addresses: DepositAddressStore
  readonly watch: WatchStore
  readonly retries: RetryStore
  /** Blocks that one search for logs covers at most; what providers allow where absent. */
  readonly rangeBlocks?: number
  /** Called with what could not be read and was put aside. */
  readonly onSetAside?: (chainId: ChainId, subject: RetrySubject, problem: string) => void
  /** Called when the code behind the token has changed. */
  readonly onTokenChanged?: (chainId: ChainId, code: string, before: string) => void
}

/** What the watcher of one chain keeps between its rounds; nothing of it is needed after a restart. */
export interface ChainWatch {
  readonly reader: ChainReader
  readonly addresses: WatchedAddresses
  readonly ether: EtherWatch
  /** Transactions that were seen before they were final, so that each is looked at once. */
  readonly seen: Set<Hex>
  /** What failed by itself is left alone for a while. */
  readonly patience: Patience
  /** The code behind the token as the last round read it; null before the first. */
  tokenCode: string | null
  state: WatchState
}

/** What is known of a chain, for health and metrics. */
export interface WatchState {
  readonly latest: number
  readonly finalized: number
  /** Up to which final block everything was looked at, or put aside. */
  readonly cursor: number
  /** When the last round ended well; 0 before the first. */
  readonly watchedAt: number
  readonly failuresInARow: number
}

/** One round: by which provider, up to which head, over which addresses. */
export interface Scan {
  readonly watch: ChainWatch
  readonly view: ChainView
  readonly head: ChainHead
  readonly addresses: readonly Hex[]
}

/** Prepares the watch of a chain. */
export function createChainWatch(deps: WatchDeps, reader: ChainReader): ChainWatch {
  return {
    reader,
    addresses: new WatchedAddresses(deps.addresses, reader.chainId),
    ether: { clean: new Map(), surplusRounds: new Map(), searched: new Map(), next: 0 },
    seen: new Set(),
    patience: new Patience(deps.clock),
    tokenCode: null,
    state: { latest: 0, finalized: 0, cursor: 0, watchedAt: 0, failuresInARow: 0 },
  }
}
