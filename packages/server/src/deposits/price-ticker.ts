import type { Dispatcher } from 'undici'
import type { ChainId } from '../chain/assets.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { collectResponse } from '../upstreams/http-exchange.ts'
import type { PriceSampleStore } from './price-sample-store.ts'

/** Where a price service answers, and how it is reached. */
export interface TickerSource {
  readonly url: URL
  /** A JSON pointer to the USD for one ETH. Source: RFC 6901. */
  readonly pointer: string
  readonly dispatcher: Dispatcher
}

export interface PriceTickerDeps {
  readonly chainId: ChainId
  readonly source: TickerSource
  readonly samples: PriceSampleStore
  readonly clock: Clock
}

/** How often it is asked, in milliseconds. Source: decision 0093. */
const SAMPLE_MS = 60_000
/** A sample holds for moments up to so far from it, in milliseconds: prices move. */
const NEAR_MS = 300_000
/** Samples are kept as long as a deposit can wait for a price, and a claim reasonably be late. */
const KEPT_MS = 7 * 86_400_000
/** Time for one answer, and its size. */
const ANSWER_MS = 5_000
const ANSWER_BYTES_MAX = 1024 * 1024

/**
 * A price service that is asked about once a minute, so that its price at the time of a deposit is known later.
 */
export class PriceTicker {
  readonly #deps: PriceTickerDeps
  readonly #stopped = new AbortController()
  #askedAt = 0

  constructor(deps: PriceTickerDeps) {
    this.#deps = deps
  }

  /** Asks where the newest answer is a minute old. What goes wrong is no price, and nothing else. */
  async sample(): Promise<void> {
    const { chainId, samples, clock } = this.#deps
    const now = clock.now()
    if (Math.abs(now - this.#askedAt) < SAMPLE_MS) return
    this.#askedAt = now
    const newest = await samples.findNewest(chainId)
    if (newest !== null && Math.abs(now - newest.sampledAt) < SAMPLE_MS) return
    const usd = await this.#ask()
    if (usd !== null) await samples.insert(chainId, { sampledAt: now, usd }, now - KEPT_MS)
  }

  /** USD for one ETH at a time; null where no price is near it. */
  async findAt(time: number): Promise<number | null> {
    const { chainId, samples, clock } = this.#deps
    const known = await samples.findNearest(chainId, time, NEAR_MS)
    if (known !== null || Math.abs(clock.now() - time) > NEAR_MS) return known?.usd ?? null
    this.#askedAt = 0
    await this.sample()
    return (await samples.findNearest(chainId, time, NEAR_MS))?.usd ?? null
  }

  /** Ends what is under way. */
  stop(): void {
    this.#stopped.abort()
  }

  async #ask(): Promise<number | null> {
    const { url, pointer, dispatcher } = this.#deps.source
    try {
      const answer = await collectResponse(
        dispatcher,
        {
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: 'GET',
          headers: { accept: 'application/json', 'user-agent': 'svc-gateway', 'accept-encoding': 'identity' },
          body: null,
        },
        {
          signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(ANSWER_MS)]),
          bytesMax: ANSWER_BYTES_MAX,
        },
      )
      if (answer.status !== 200) return null
      return priceFrom(valueAt(JSON.parse(answer.body.toString('utf8')) as unknown, pointer))
    } catch {
      // A service that does not answer, or with something else, has given no price.
      return null
    }
  }
}

function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = Reflect.get(value, name)
  }
  return value
}

function priceFrom(value: unknown): number | null {
  const price = typeof value === 'string' && /^\d{1,12}(\.\d{1,30})?$/.test(value) ? Number(value) : value
  return typeof price === 'number' && Number.isFinite(price) && price > 0 ? price : null
}
