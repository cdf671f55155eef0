/**
 * What some upstreams add to an answer that is a part of it, and goes on to clients: its sources. Everything else that
 * an upstream says beside what OpenAI does may be about the operator's account, and is left out.
 */

/**
 * Lists beside `choices`. Sources: the API references of Perplexity (`citations`, `search_results`,
 * `related_questions`), xAI (`citations`) and Zhipu (`web_search`).
 */
const EXTRAS = ['citations', 'search_results', 'related_questions', 'web_search'] as const

/** The extras that an answer, or a chunk of one, has. */
export function extrasOf(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const extras: Record<string, unknown> = {}
  for (const name of EXTRAS) if (Array.isArray(value[name])) extras[name] = value[name]
  return extras
}

/** Whether it has any. */
export function hasExtras(value: Readonly<Record<string, unknown>>): boolean {
  return EXTRAS.some((name) => Array.isArray(value[name]))
}
