/**
 * Output of so many times the limit, by its bytes, and so many tokens more, comes from an upstream that does not keep
 * the limit: tokens of eight bytes on average are seen in short answers only. Source: own choice.
 */
const OVERSHOOT = { times: 2, tokens: 256 } as const

/** Whether output of so many tokens, by its bytes, may come from an upstream that keeps its limit. */
export function mayKeepLimit(tokens: number, limit: number): boolean {
  return tokens < limit * OVERSHOOT.times + OVERSHOOT.tokens
}

/**
 * What an estimate by bytes comes to: an upstream that keeps its limit has made no more tokens than that, however long
 * they are.
 *
 * @param limit null where the upstream got none.
 */
export function withinLimit(tokens: number, limit: number | null): number {
  return limit !== null && tokens > limit && mayKeepLimit(tokens, limit) ? limit : tokens
}
