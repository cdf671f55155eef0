/** What the name of a field says that no list knows: whether it is a length or a count, by the words that it is made of. */
import { NAME_LENGTH_MAX } from './fold-name.ts'

export type UnknownKind =
  /** A length of output. Refused above the bound in tokens; less than zero is no end. */
  | 'unknown output'
  /** Another length or count. Refused above the bound in tokens. */
  | 'unknown length'
  /** A count of answers. Refused above the answers that are held for. */
  | 'unknown answers'

/** Names of answers, of which a count multiplies the work. */
const ANSWERS = words(`
  answer answers beam beams best candidate candidates choice choices completion completions copies
  generation generations image images output outputs paths picture pictures render renders repeat repeats replicas
  response responses retries rollout rollouts samples sequence sequences variant variants variation variations video
  videos
`)
const COUNTS = words('n num number count counts max of total amount size width min')
const LENGTHS = words(`
  budget budgets chars characters count iterations iters length len limit loops max min n new num output predict
  rounds size steps token tokens turns words
`)
/** Those of them that an answer is measured by. */
const OUTPUT = words('len length predict token tokens')
/** Words of what is no work of an answer: identities, times, prices, and what goes in. */
const OTHERS = words(`
  id ids seed key time timeout timestamp ms seconds secs minutes ttl deadline latency interval delay date at port version
  price cost rate penalty bias prob probability temperature threshold ratio scale
  context ctx window prompt input inputs history cache kv truncate truncation ngram vocab pixel pixels
  position offset index start end rank
`)

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

/** The words of a name, however it joins them: `maxNewTokens`, `max-new-tokens`, `speculative.n_max`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

/** @returns null for a name that is neither a length nor a count. */
export function kindByWords(name: string): UnknownKind | null {
  if (name.length > NAME_LENGTH_MAX) return null
  const parts = wordsOf(name)
  if (parts.some((word) => OTHERS.has(word))) return null
  const names = parts.filter((word) => ANSWERS.has(word))
  const counts = parts.some((word) => COUNTS.has(word))
  const isOutput = parts.some((word) => OUTPUT.has(word))
  if (names.length > 0 && !isOutput && (counts || parts.length === 1)) return 'unknown answers'
  if (isOutput) return 'unknown output'
  return parts.some((word) => LENGTHS.has(word)) ? 'unknown length' : null
}
