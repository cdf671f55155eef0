/** Randomness that a seed repeats. */
export interface SeededRandom {
  /** A number from 0 up to, not including, 1. */
  fraction(): number
  /** A whole number from `low` to `high`, both possible. */
  integer(low: number, high: number): number
  /** One of a list that is not empty. */
  pick<Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value
}

/** Makes the random numbers that belong to a seed; equal seeds give equal sequences. Not for secrets. */
export function createSeededRandom(seed: string): SeededRandom {
  let state = hashOf(seed)
  // Mulberry32: 32 bits of state, public domain, good enough for words and far cheaper than a cryptographic source.
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const integer = (low: number, high: number): number => low + Math.floor(fraction() * (high - low + 1))
  return {
    fraction,
    integer,
    pick: (values) => {
      const value = values[integer(0, values.length - 1)]
      if (value === undefined) throw new RangeError('Nothing to pick from.')
      return value
    },
  }
}

/** FNV-1a over UTF-16 units. Source: the FNV reference (offset basis and prime for 32 bits). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
