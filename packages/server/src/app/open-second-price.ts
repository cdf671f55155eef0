/** Second sources of the price of ETH. Part of the composition. */
import type { DepositChainConfig } from '../config/deposits-config.ts'
import { isLoopback } from '../config/reach.ts'
import type { Database } from '../platform/db/database.ts'
import type { SecondPrice } from '../deposits/ask-price-opinion.ts'
import { createPriceSampleStore } from '../deposits/price-sample-store.ts'
import { PriceTicker } from '../deposits/price-ticker.ts'
import { type FindProxy, openDispatcher } from '../platform/outbound/open-dispatcher.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { createEgress } from '../upstreams/egress-guard.ts'

const TIMEOUTS = { connectMs: 3_000, firstByteMs: 5_000, idleMs: 5_000, contentMs: 10_000 }
const LIMITS = { connectMs: 3_000, headersMs: 5_000, bodyMs: 5_000 }

/** Opens the second source that a chain is configured with; null where it has none. */
export function openSecondPrice(
  { chainId, secondPrice }: Pick<DepositChainConfig, 'chainId' | 'secondPrice'>,
  { database, clock, findProxy }: { readonly database: Database; readonly clock: Clock; readonly findProxy: FindProxy },
): SecondPrice | null {
  if (secondPrice === null) return null
  if (secondPrice.kind !== 'ticker') {
    return {
      find: (view, block, head) => view.findSecondPrice(block, head),
      tick: () => Promise.resolve(),
      stop: () => undefined,
    }
  }
  const url = new URL(secondPrice.url)
  // A service on this machine is named by its host; any other name leads to public addresses alone.
  const dispatcher = isLoopback(url.hostname)
    ? openDispatcher(url, findProxy, LIMITS)
    : createEgress({ timeouts: TIMEOUTS, findProxy }).dispatcher
  const source = { url, pointer: secondPrice.pointer, dispatcher }
  const ticker = new PriceTicker({ chainId, source, samples: createPriceSampleStore(database), clock })
  return {
    find: (_view, block) => ticker.findAt(block.time),
    tick: () => ticker.sample(),
    stop: () => {
      ticker.stop()
      void dispatcher.destroy()
    },
  }
}
