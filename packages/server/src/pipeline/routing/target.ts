import type { ChatPrice } from '../../pricing/price.ts'
import type { WatchedUpstream } from '../../upstreams/watch-health.ts'

/**
 * One upstream that may serve a request. What else a request needs to know of it is in its own kind of target.
 */
export interface Target {
  readonly upstream: WatchedUpstream
  /** The id that it knows. */
  readonly upstreamModel: string
}

/** The same of a request that is charged by its tokens, and what that costs. */
export interface ChatTarget extends Target {
  readonly price: ChatPrice
}
