/** Random numbers that can be had again: a test prints the seed when it fails. */
export interface Random {
  readonly seed: number
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number
  /** One of the values; `fallback` when there is none. */
  pick<Value>(values: readonly Value[], fallback?: Value): Value
}

/** Starts from `SVC_TEST_SEED` when it is set, else from the clock. */
export function createRandom(seed = Number(process.env['SVC_TEST_SEED'] ?? Date.now() % 4_294_967_296)): Random {
  let state = seed >>> 0
  // The mulberry32 generator: small, fast and even enough for tests.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    seed,
    below,
    pick(values, fallback) {
      const value = values[below(values.length)] ?? fallback
      if (value === undefined) throw new Error('nothing to pick from')
      return value
    },
  }
}
