import type { LoadResult } from '../load-order.ts'

const FAILURE_TEXT_MAX = 500

/** Counts the answers of one order. */
export class LoadTally {
  #failed = 0
  #failure: string | null = null
  readonly #times: number[] = []

  /** @param ms time to the end of the answer. */
  succeed(ms: number): void {
    this.#times.push(ms)
  }

  fail(what: string): void {
    this.#failed++
    this.#failure ??= what.slice(0, FAILURE_TEXT_MAX)
  }

  summary(): Omit<LoadResult, 'seconds' | 'cpuMs'> {
    const sorted = Float64Array.from(this.#times).sort()
    const percentile = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1] ?? 0
    return {
      ...{ done: sorted.length, failed: this.#failed, failure: this.#failure },
      ...{ p50Ms: percentile(0.5), p99Ms: percentile(0.99) },
    }
  }
}
