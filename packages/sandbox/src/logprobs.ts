import type { AnswerToken } from './answer-tokens.ts'

const alternatives = [
  ' the',
  ' a',
  ' of',
  ' to',
  ' and',
  ' in',
  ' is',
  ' that',
  ' for',
  ' it',
  ' on',
  ' with',
  ' as',
  ' was',
  ' at',
]
const more = [' by', ' an', ' be', ' this', ' from', ' or', ' are']

/**
 * Makes up the log probability of a token and of the likeliest alternatives, the token itself first.
 *
 * @param top how many alternatives to name, 0 to 20.
 */
export function logprobOf(token: AnswerToken, top: number): Readonly<Record<string, unknown>> {
  const logprob = -((token.text.length % 7) + 1) / 64
  const others = [...alternatives, ...more].filter((text) => text !== token.text)
  const named = top === 0 ? [] : [token.text, ...others.slice(0, top - 1)]
  return {
    ...entry(token.text, logprob),
    top_logprobs: named.map((text, rank) => entry(text, rank === 0 ? logprob : logprob - 2 - rank / 4)),
  }
}

function entry(text: string, logprob: number): Readonly<Record<string, unknown>> {
  return { token: text, logprob, bytes: [...Buffer.from(text)] }
}
