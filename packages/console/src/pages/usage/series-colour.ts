import { OTHER, type Series } from './usage-series.ts'

const HUES = 24
const LIGHTNESSES = [56, 65, 74] as const
/** Steps of hue that two colours side by side differ by at least. */
const APART = 3
/** Has a common divisor with the hues in no case, so that every hue is tried. */
const STEP = 5

function hashOf(text: string): number {
  let hash = 2_166_136_261
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0
  return hash
}

const distance = (one: number, other: number): number =>
  Math.min((one - other + HUES) % HUES, (other - one + HUES) % HUES)

/**
 * A colour for each series. It comes from the name alone, so that a model has the same on every page; only where it
 * would be hard to tell from one before it in the alphabet, the next free hue is taken: whatever they are ranked by.
 */
export function seriesColours(series: readonly Pick<Series, 'group'>[]): ReadonlyMap<string, string> {
  const taken: number[] = []
  const colours = new Map<string, string>([[OTHER, 'var(--line-strong)']])
  for (const { group } of series.toSorted((one, other) => (one.group < other.group ? -1 : 1))) {
    if (group === OTHER) continue
    const hash = hashOf(group)
    const own = hash % HUES
    const tries = Array.from({ length: HUES }, (_value, index) => (own + index * STEP) % HUES)
    const hue = tries.find((hueTried) => taken.every((other) => distance(hueTried, other) >= APART)) ?? own
    taken.push(hue)
    const lightness = LIGHTNESSES[Math.floor(hash / HUES) % LIGHTNESSES.length] ?? 65
    colours.set(group, `oklch(${lightness}% 0.12 ${hue * (360 / HUES)})`)
  }
  return colours
}
