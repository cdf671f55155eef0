/** More changes than this, or than a third of the name, make another name, not a typing error. */
const CHANGES_MAX = 3
const NAME_PART = 3

/**
 * Finds the known name that differs least from `name`; null when none is close. Costs time with the length of `name`:
 * a caller that takes it from a request bounds it.
 */
export function closestName(name: string, known: readonly string[]): string | null {
  let closest: string | null = null
  let fewest = Math.min(CHANGES_MAX, Math.ceil(name.length / NAME_PART)) + 1
  for (const candidate of known) {
    // Each letter more or less is a change: most names need no closer look.
    if (Math.abs(candidate.length - name.length) >= fewest) continue
    const changes = changesBetween(name, candidate)
    if (changes < fewest) {
      fewest = changes
      closest = candidate
    }
  }
  return closest
}

/** Letters to add, drop or replace to make one text of the other (Levenshtein distance). */
function changesBetween(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...left].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...right].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous[right.length] ?? 0
}
