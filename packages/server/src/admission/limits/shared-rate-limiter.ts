import type { Clock } from '../../platform/runtime/clock.ts'
import { rateError, type RateKind, type RateLimit, type RateState } from './rate-limit.ts'
import type { StoreLink } from './store-link.ts'
import type { TokenExchange } from './token-exchange.ts'
import { LocalTokenLease, type Verdict } from './local-token-lease.ts'

export interface SharedRateLimiterDeps {
  readonly exchange: TokenExchange
  readonly link: StoreLink
  readonly clock: Clock
  readonly share: () => number
  readonly onRefused: () => void
}

/** Leases in memory at most: who is known for longest leaves first, and what they hold runs out by itself. */
const LEASES_MAX = 100_000

/**
 * One kind of limit whose buckets all processes share. A process holds a few tokens of each caller who comes often, so
 * that hardly a request waits for the store. All processes together let no more through than one bucket would.
 * Source: decision 0063.
 */
export class SharedRateLimiter implements RateLimit {
  readonly #deps: SharedRateLimiterDeps
  readonly #kind: RateKind
  readonly #leases = new Map<string, LocalTokenLease>()

  constructor(deps: SharedRateLimiterDeps, kind: RateKind) {
    this.#deps = deps
    this.#kind = kind
  }

  take(caller: string, perMinute = this.#kind.perMinute, setFor?: string): RateState | Promise<RateState> {
    const { link, clock, share, exchange } = this.#deps
    const lease = this.#leaseOf(caller)
    const now = clock.now()
    lease.follow(perMinute)
    if (link.isDown) return this.#decide(lease.takeOwn(now, share()), setFor)
    const verdict = lease.tryTakeLocal(now, share())
    if (verdict === null) {
      const answer = lease.wait().then((given) => this.#decide(given, setFor))
      exchange.request(lease)
      return answer
    }
    if (verdict.waitMs === 0 && lease.wantsMore(now)) exchange.request(lease)
    return this.#decide(verdict, setFor)
  }

  /** Requests what has waited for a second, and forgets who has no lease left. */
  tidy(now: number): void {
    for (const [caller, lease] of this.#leases) {
      if (lease.isStale(now)) this.#deps.exchange.request(lease)
      else if (lease.isForgettable(now)) this.#leases.delete(caller)
    }
  }

  /** Sends everything that is not sent yet. */
  giveBack(): void {
    for (const lease of this.#leases.values()) if (lease.hasChanges) this.#deps.exchange.request(lease)
  }

  #leaseOf(caller: string): LocalTokenLease {
    const known = this.#leases.get(caller)
    if (known !== undefined) return known
    const oldest = this.#leases.keys().next()
    if (this.#leases.size >= LEASES_MAX && oldest.done !== true) this.#leases.delete(oldest.value)
    const lease = new LocalTokenLease(this.#kind.kind, caller)
    this.#leases.set(caller, lease)
    return lease
  }

  #decide({ state, waitMs }: Verdict, setFor: string | undefined): RateState {
    if (waitMs === 0) return state
    this.#deps.onRefused()
    throw rateError({ what: this.#kind.what, setFor, state, waitMs })
  }
}
