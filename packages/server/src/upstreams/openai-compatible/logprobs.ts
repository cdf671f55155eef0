import { isObject } from './usage.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * The logprobs of a choice as chats list them, whichever form they come in; null where there are none.
 *
 * Source: OpenAI's API reference, the logprobs of "Chat Completions" and of "Completions".
 */
export function readLogprobs(logprobs: unknown): unknown {
  if (!isObject(logprobs) || !Array.isArray(logprobs['tokens'])) return logprobs ?? null
  const { tokens, token_logprobs: numbers, top_logprobs: alternatives } = logprobs
  const content = (tokens as unknown[]).map((token, at) => ({
    token: String(token),
    logprob: itemOf(numbers, at) ?? 0,
    bytes: null,
    top_logprobs: alternativesIn(itemOf(alternatives, at)),
  }))
  return { content, refusal: null }
}

function itemOf(list: unknown, at: number): unknown {
  return Array.isArray(list) ? (list[at] as unknown) : undefined
}

function alternativesIn(alternatives: unknown): readonly Json[] {
  if (!isObject(alternatives)) return []
  return Object.entries(alternatives).map(([token, logprob]) => ({ token, logprob, bytes: null }))
}
