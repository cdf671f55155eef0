import { isObject } from './usage.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Of a token that cannot be. Servers whose numbers end at infinity write null, which strict clients do not read as a
 * number. Source: vLLM, which writes this one.
 */
const IMPOSSIBLE = -9_999

/**
 * The logprobs of a choice as chats list them, whichever form they come in; null where there are none.
 *
 * Source: OpenAI's API reference, the logprobs of "Chat Completions" and of "Completions".
 */
export function readLogprobs(logprobs: unknown): unknown {
  if (!isObject(logprobs)) return null
  if (!Array.isArray(logprobs['tokens'])) return wholeLogprobs(logprobs)
  const { tokens, token_logprobs: numbers, top_logprobs: alternatives } = logprobs
  const content = (tokens as unknown[]).map((token, at) => ({
    token: String(token),
    logprob: itemOf(numbers, at) ?? 0,
    bytes: null,
    top_logprobs: alternativesIn(itemOf(alternatives, at)),
  }))
  return { content, refusal: null }
}

/** The same with what strict clients ask of each token. Most have it, and stay as they are. */
function wholeLogprobs(logprobs: Json): Json {
  const lists = Object.entries(logprobs).filter(([, tokens]) => Array.isArray(tokens) && !tokens.every(isWhole))
  if (lists.length === 0) return logprobs
  const whole = lists.map(([name, tokens]) => [name, (tokens as unknown[]).filter(isObject).map(wholeToken)] as const)
  return { ...logprobs, ...Object.fromEntries(whole) }
}

function isWhole(token: unknown): boolean {
  if (!isObject(token) || !Number.isFinite(token['logprob'])) return false
  const { top_logprobs: others } = token
  return Array.isArray(others) && others.every((other) => isObject(other) && Number.isFinite(other['logprob']))
}

function wholeToken(token: Json): Json {
  const { logprob, top_logprobs: others, bytes = null } = token
  return {
    ...token,
    bytes,
    logprob: Number.isFinite(logprob) ? logprob : IMPOSSIBLE,
    top_logprobs: Array.isArray(others) ? others.filter(isObject).map(withoutInfinity) : [],
  }
}

function withoutInfinity(other: Json): Json {
  return Number.isFinite(other['logprob']) ? other : { ...other, logprob: IMPOSSIBLE }
}

function itemOf(list: unknown, at: number): unknown {
  return Array.isArray(list) ? (list[at] as unknown) : undefined
}

function alternativesIn(alternatives: unknown): readonly Json[] {
  if (!isObject(alternatives)) return []
  return Object.entries(alternatives).map(([token, logprob]) => ({ token, logprob, bytes: null }))
}
