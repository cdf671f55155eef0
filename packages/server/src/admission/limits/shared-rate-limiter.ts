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

/** Hands in memory at most: who is known for longest leaves first, and what they hold runs out by itself. */
const HANDS_MAX = 100_000

/**
 * One kind of limit whose buckets all processes share. A process holds a few tokens of each caller who comes often, so
 * that hardly a request waits for the store. All processes together let no more through than one bucket would.
 * Source: decision 0063.
 */
export class SharedRateLimiter implements RateLimit {
  readonly #deps: SharedRateLimiterDeps
  readonly #kind: RateKind
  readonly #hands = new Map<string, LocalTokenLease>()

  constructor(deps: SharedRateLimiterDeps, kind: RateKind) {
    this.#deps = deps
    this.#kind = kind
  }

  take(caller: string, perMinute = this.#kind.perMinute, setFor?: string): RateState | Promise<RateState> {
    const { link, clock, share, exchange } = this.#deps
    const hand = this.#handOf(caller)
    const now = clock.now()
    hand.follow(perMinute)
    if (link.isDown) return this.#decide(hand.takeOwn(now, share()), setFor)
    const verdict = hand.tryTakeLocal(now, share())
    if (verdict === null) {
      const answer = hand.wait().then((given) => this.#decide(given, setFor))
      exchange.request(hand)
      return answer
    }
    if (verdict.waitMs === 0 && hand.wantsMore(now)) exchange.request(hand)
    return this.#decide(verdict, setFor)
  }

  /** Requests what has waited for a second, and forgets who has nothing in hand. */
  tidy(now: number): void {
    for (const [caller, hand] of this.#hands) {
      if (hand.isStale(now)) this.#deps.exchange.request(hand)
      else if (hand.isForgettable(now)) this.#hands.delete(caller)
    }
  }

  /** Requests everything that is not told yet. */
  giveBack(): void {
    for (const hand of this.#hands.values()) if (hand.hasChanges) this.#deps.exchange.request(hand)
  }

  #handOf(caller: string): LocalTokenLease {
    const known = this.#hands.get(caller)
    if (known !== undefined) return known
    const oldest = this.#hands.keys().next()
    if (this.#hands.size >= HANDS_MAX && oldest.done !== true) this.#hands.delete(oldest.value)
    const hand = new LocalTokenLease(this.#kind.kind, caller)
    this.#hands.set(caller, hand)
    return hand
  }

  #decide({ state, waitMs }: Verdict, setFor: string | undefined): RateState {
    if (waitMs === 0) return state
    this.#deps.onRefused()
    throw rateError({ what: this.#kind.what, setFor, state, waitMs })
  }
}
