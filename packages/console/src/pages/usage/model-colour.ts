/** The same colour for the same model on every page: the hue comes from its name. */
export function modelColour(model: string): string {
  let hash = 2_166_136_261
  for (const letter of model) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0
  return `oklch(62% 0.12 ${hash % 360})`
}

/** Of all that is not among the largest. */
export const OTHER_COLOUR = 'var(--line-strong)'
