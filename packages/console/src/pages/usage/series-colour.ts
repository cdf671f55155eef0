import { OTHER } from './usage-series.ts'

const HUES = 24
const LIGHTNESSES = [56, 65, 74] as const

/** The same colour for the same model, key or type on every page: it comes from the name alone. */
export function seriesColour(group: string): string {
  if (group === OTHER) return 'var(--line-strong)'
  let hash = 2_166_136_261
  for (const letter of group) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0
  const hue = (hash % HUES) * (360 / HUES)
  const lightness = LIGHTNESSES[Math.floor(hash / HUES) % LIGHTNESSES.length] ?? 65
  return `oklch(${lightness}% 0.12 ${hue})`
}
