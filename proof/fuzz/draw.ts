/** Values of fast-check's arbitraries one by one, for what has no run of its own, such as the answers of a server. */
import fc from 'fast-check'

/** One of several arbitraries, each as often as its weight says; shrinks to the first. */
export function weighted<Choices extends readonly (readonly [number, fc.Arbitrary<unknown>])[]>(
  ...choices: Choices
): fc.Arbitrary<Choices[number] extends readonly [number, fc.Arbitrary<infer Value>] ? Value : never> {
  const named = choices.map(([weight, arbitrary]) => ({ weight, arbitrary }))
  return fc.oneof({ withCrossShrink: true }, ...named) as ReturnType<typeof weighted<Choices>>
}

/** A value once in so many, or else another one. */
export function rarely<Value, Other>(count: number, arbitrary: fc.Arbitrary<Value>, otherwise: Other) {
  return weighted([count - 1, fc.constant(otherwise)], [1, arbitrary])
}

/** True once in so many. */
export function oneIn(count: number): fc.Arbitrary<boolean> {
  return rarely(count, fc.constant(true), false)
}

/** One of several values by a number, counted around: for a choice that hangs on what it is made for. */
export function nth<Value>(values: readonly Value[], at: number): Value {
  return values[at % values.length] as Value
}

/** One value, the same for the same seed. */
export function drawOnce<Value>(arbitrary: fc.Arbitrary<Value>, seed: number): Value {
  const [value] = fc.sample(fc.noBias(arbitrary), { seed, numRuns: 1 })
  return value as Value
}

/** Draws one value after the other, the same ones for the same seed. */
export type Draw = <Value>(arbitrary: fc.Arbitrary<Value>) => Value

export function createDraw(seed: number): Draw {
  let next = Math.imul(seed + 1, 2_654_435_761)
  return (arbitrary) => drawOnce(arbitrary, (next = (next + 0x6d2b79f5) | 0))
}
