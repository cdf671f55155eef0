/** Whether an upstream's words say that a rule about content forbade a request: by the table, wherever they are. */
import { contentRefusals } from './content-refusals.ts'
import { WordTable } from './vendor-words.ts'

type Json = Readonly<Record<string, unknown>>

const refusals = new WordTable(contentRefusals, {
  readsQuoted: true,
  // xAI says so of an image that it keeps back.
  also: (value) => value['respect_moderation'] === false,
})

/** Whether a vendor's word means that content was refused. */
export function isRefusalWord(word: unknown): boolean {
  return refusals.hasWord(word)
}

/** Whether the body of a failure, or what came in place of an answer, says that content was refused. */
export function isContentRefusal(value: unknown, depth?: number): boolean {
  return refusals.isSaidIn(value, depth)
}

/** What an answer holds: where one of these is, words beside it are the answer's own. */
const ANSWER_FIELDS = ['choices', 'data', 'text', 'embeddings', 'outputs', 'unsigned_urls', 'usage', 'results'] as const

/** Whether a flat body without an error object is a refusal in the place of an answer. */
export function isFlatRefusal(value: Json): boolean {
  if (ANSWER_FIELDS.some((field) => (value[field] ?? null) !== null)) return false
  return isContentRefusal(value, 1)
}
