/** Longest name that is looked at, in UTF-16 units. A longer one is no field of any server. */
export const NAME_LENGTH_MAX = 64

const ASCII = /^[\x20-\x7e]*$/
/** Letters and digits of which some fold to an ordinary one. */
const FOLDING = /^[\p{Script=Latin}\p{N}\u{1D400}-\u{1D7FF}]*$/u
const PLAIN = /^[a-z0-9]*$/

/**
 * A name as the least particular reader sees it: without case, and without what joins its words. Letters that fold to an
 * ordinary one (ſ, K) are that one. Clients choose the name, so it is normalized only when it is short and without the
 * characters that make this slow: combining marks take the square of their number, and ligatures of other scripts become
 * many letters.
 *
 * @returns null for a name that is no field of any server: too long, or with a letter that folds to no ordinary one.
 */
export function foldName(name: string): string | null {
  if (name.length > NAME_LENGTH_MAX) return null
  if (ASCII.test(name)) return name.toLowerCase().replace(/[^a-z0-9]+/g, '')
  const letters = name.replace(JOINERS, '')
  if (!FOLDING.test(letters)) return null
  const folded = letters.normalize('NFKC').toUpperCase().toLowerCase().replace(JOINERS, '')
  return PLAIN.test(folded) ? folded : null
}

const JOINERS = /[^\p{L}\p{N}]+/gu
