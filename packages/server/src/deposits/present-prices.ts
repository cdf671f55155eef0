import { decimalJson, type Printed, type TeamPrices } from '@svc/contract'
import type { ChainId } from '../chain/assets.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import { ChainUnavailableError } from '../chain/chain-unavailable.ts'
import type { Clock } from '../platform/runtime/clock.ts'

type PresentPrice = Printed<TeamPrices>['data'][number]

export interface PresentPricesDeps {
  /** By chain; those that come later included. */
  readonly chains: ReadonlyMap<ChainId, ChainReader>
  readonly clock: Clock
}

/** An answer is given again for so long: a node is asked for all who look. Source: own choice. */
const FRESH_MS = 20_000

/**
 * What one ETH is worth now, by the feed that values deposits: for people who are about to pay. No deposit is valued by
 * it; each has the price of its own block.
 */
export class PresentPrices {
  readonly #deps: PresentPricesDeps
  readonly #known = new Map<ChainId, { readonly at: number; readonly price: Promise<PresentPrice> }>()

  constructor(deps: PresentPricesDeps) {
    this.#deps = deps
  }

  /** Of each chain. A chain that cannot be asked has no price. */
  read(): Promise<readonly PresentPrice[]> {
    return Promise.all([...this.#deps.chains.keys()].map((chainId) => this.#priceOn(chainId)))
  }

  #priceOn(chainId: ChainId): Promise<PresentPrice> {
    const now = this.#deps.clock.now()
    const known = this.#known.get(chainId)
    if (known !== undefined && Math.abs(now - known.at) < FRESH_MS) return known.price
    const price = this.#ask(chainId, now)
    this.#known.set(chainId, { at: now, price })
    return price
  }

  async #ask(chainId: ChainId, now: number): Promise<PresentPrice> {
    const unknown = { ...{ chainId, asset: 'ETH' as const }, asked_at: Math.floor(now / 1_000) }
    try {
      const price = await this.#deps.chains.get(chainId)?.ask(async (view) => {
        const head = await view.readHead()
        return view.findPrice('ETH', head.latest, head)
      })
      if (price === undefined || price === null) return { ...unknown, price_usd: null, priced_at: null }
      return { ...unknown, price_usd: decimalJson(price.usd), priced_at: Math.floor(price.time / 1_000) }
    } catch (error) {
      if (error instanceof ChainUnavailableError) return { ...unknown, price_usd: null, priced_at: null }
      this.#known.delete(chainId)
      throw error
    }
  }
}
