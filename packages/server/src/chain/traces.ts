import type { MonotonicClock } from '../platform/runtime/clock.ts'
import type { Hex } from './assets.ts'
import { readCallTransfers } from './call-transfers.ts'
import type { ChainTransfer } from './chain-facts.ts'
import { ChainUnavailableError, RpcRefusalError } from './chain-unavailable.ts'
import type { JsonRpc } from './json-rpc.ts'

/** One transaction that could not be traced is left alone for so long, in milliseconds. Source: own choice. */
const SICK_MS = 60_000
/** Transactions that are remembered as such; the oldest go first. */
const SICK_MAX = 10_000
/** After so many in a row, whichever they were, the provider itself does not trace now. */
const IN_A_ROW = 3
const REST_MS = 60_000
/** "There is no such method". Source: JSON-RPC 2.0. */
const NO_METHOD = -32_601

/** How much a trace matters to the asker. */
export type TraceWish =
  /** A client waits for this transaction. */
  | 'always'
  /** One of many: they must not wait for traces that hang. */
  | 'unless_resting'
  | 'never'

/**
 * What inner calls moved, as one provider traces it. Traces are costly and not always there, so one that hangs delays
 * nothing but what it is about, and a provider that does not trace is left in peace for a while.
 */
export class Traces {
  readonly #rpc: JsonRpc
  readonly #clock: MonotonicClock
  readonly #sick = new Map<Hex, number>()
  #failuresInARow = 0
  #restsUntil = -Infinity

  constructor(rpc: JsonRpc, clock: MonotonicClock) {
    this.#rpc = rpc
    this.#clock = clock
  }

  /** ETH that inner calls of a transaction moved; null where that is unknown now. */
  async find(txHash: Hex, wish: TraceWish): Promise<readonly ChainTransfer[] | null> {
    const now = this.#clock.elapsed()
    const isResting = now < this.#restsUntil || now < (this.#sick.get(txHash) ?? -Infinity)
    if (wish === 'never' || (wish === 'unless_resting' && isResting)) return null
    try {
      const answer = await this.#rpc.request('debug_traceTransaction', [txHash, { tracer: 'callTracer' }])
      this.#failuresInARow = 0
      this.#restsUntil = -Infinity
      this.#sick.delete(txHash)
      return readCallTransfers(answer)
    } catch (error) {
      if (error instanceof RpcRefusalError) {
        if (error.code === NO_METHOD) this.#restsUntil = this.#clock.elapsed() + REST_MS
        return null
      }
      if (!(error instanceof ChainUnavailableError)) throw error
      this.#note(txHash)
      return null
    }
  }

  #note(txHash: Hex): void {
    const now = this.#clock.elapsed()
    this.#sick.set(txHash, now + SICK_MS)
    const oldest = this.#sick.keys().next()
    if (this.#sick.size > SICK_MAX && oldest.done !== true) this.#sick.delete(oldest.value)
    if (++this.#failuresInARow >= IN_A_ROW) {
      this.#failuresInARow = 0
      this.#restsUntil = now + REST_MS
    }
  }
}
