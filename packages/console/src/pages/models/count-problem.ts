/** What is wrong with the figures that are typed for a sum. Pure. */

const WHOLE = /^\d{1,9}$/

/** Null for a whole number of 0 or more, and for nothing typed. */
export function countProblem(typed: string): string | null {
  if (typed === '' || WHOLE.test(typed)) return null
  return /^\d+$/.test(typed) ? 'At most 9 digits' : 'Must be a whole number, 0 or more'
}

/** Null unless more tokens are said to be cached than the prompt has: the sum counts no more than it has. */
export function cachedProblem(cached: string, prompt: string): string | null {
  if (countProblem(cached) !== null || countProblem(prompt) !== null) return null
  return Number(cached) > Number(prompt) ? `More than the prompt: ${Number(prompt).toLocaleString()} are counted` : null
}
