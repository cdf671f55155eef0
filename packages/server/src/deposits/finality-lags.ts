import type { ChainId } from '../chain/assets.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { MonotonicClock } from '../platform/runtime/clock.ts'

/** For how long what was read is good enough for a guess, in milliseconds. Source: own choice. */
const GOOD_MS = 15_000

interface Lag {
  readonly lagMs: number | null
  readonly readAt: number
}

/**
 * How far the final block of each chain is behind its newest one. No caller waits for a chain here: an answer is the
 * figure that was read last. If it is old, asking starts a new read. A chain is asked once at a time.
 */
export class FinalityLags {
  readonly #chains: ReadonlyMap<ChainId, ChainReader>
  readonly #clock: MonotonicClock
  readonly #lags = new Map<ChainId, Lag>()
  readonly #reading = new Set<ChainId>()

  /** @param chains by id; those that come later included. */
  constructor(chains: ReadonlyMap<ChainId, ChainReader>, clock: MonotonicClock) {
    this.#chains = chains
    this.#clock = clock
  }

  /** Milliseconds; null as long as nothing was read, and where the chain could not be asked. */
  lagOf(chainId: ChainId): number | null {
    const last = this.#lags.get(chainId)
    if (last === undefined || this.#clock.elapsed() - last.readAt > GOOD_MS) this.#read(chainId)
    return last?.lagMs ?? null
  }

  #read(chainId: ChainId): void {
    const reader = this.#chains.get(chainId)
    if (reader === undefined || this.#reading.has(chainId)) return
    this.#reading.add(chainId)
    const note = (lagMs: number | null): void => {
      this.#lags.set(chainId, { lagMs, readAt: this.#clock.elapsed() })
      this.#reading.delete(chainId)
    }
    reader
      .ask((view) => view.readHead())
      .then(
        ({ latest, finalized }) => note(latest.time - finalized.time),
        // Whatever went wrong, only a guess is missing; claims and the watcher report it.
        () => note(null),
      )
  }
}
