import type { ChainId, Hex } from '../chain/assets.ts'
import type { DepositAddressStore } from './deposit-address-store.ts'

/**
 * Addresses that others have just made are looked for so far back: ids sort by the clocks of the processes that made
 * them, which need not agree. Source: own choice.
 */
const OVERLAP_MS = 600_000
const PAGE = 1_000

/** The addresses of one chain in memory, kept up to date by reading what is new. */
export class WatchedAddresses {
  readonly #store: Pick<DepositAddressStore, 'listAddresses'>
  readonly #chainId: ChainId
  readonly #known = new Map<string, Hex>()
  #isLoaded = false

  constructor(store: Pick<DepositAddressStore, 'listAddresses'>, chainId: ChainId) {
    this.#store = store
    this.#chainId = chainId
  }

  /** Reads what was added since the last time; everything at the first. In the order of their making. */
  async refresh(now: number): Promise<readonly Hex[]> {
    let after = this.#isLoaded ? lowestIdAt(now - OVERLAP_MS) : undefined
    for (;;) {
      const page = await this.#store.listAddresses(this.#chainId, {
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      })
      for (const { addressId, address } of page) this.#known.set(addressId, address)
      const last = page.at(-1)
      if (page.length < PAGE || last === undefined) break
      after = last.addressId
    }
    this.#isLoaded = true
    return [...this.#known.values()]
  }
}

/** The lowest id that a process whose clock shows this time can make. Source: RFC 9562, version 7. */
function lowestIdAt(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}
