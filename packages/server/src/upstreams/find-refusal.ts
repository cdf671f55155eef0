/**
 * Whether an upstream's words say that a rule about content forbade a request: by the table, wherever they are.
 */
import { parseJsonText } from '../platform/json/parse-json.ts'
import { contentRefusals } from './content-refusals.ts'

type Json = Readonly<Record<string, unknown>>

/** Without case and without what is neither letter nor digit: vendors spell one word in several ways. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]+/g, '')
}

const WORDS: ReadonlySet<string> = new Set(contentRefusals.flatMap(({ words }) => words.map(plain)))
const PREFIXES: readonly string[] = contentRefusals.flatMap(({ prefixes = [] }) => prefixes.map(plain))
const SENTENCES: ReadonlySet<string> = new Set(contentRefusals.flatMap(({ sentences = [] }) => sentences.map(plain)))

/** Longest word that is compared, and longest sentence. Source: own choice, above every one in the table. */
const WORD_LENGTH_MAX = 128
const SENTENCE_LENGTH_MAX = 256

/** Whether a vendor's word means that content was refused. */
export function isRefusalWord(word: unknown): boolean {
  if (typeof word === 'number') return WORDS.has(String(word))
  if (typeof word !== 'string' || word === '' || word.length > WORD_LENGTH_MAX) return false
  const said = plain(word)
  return WORDS.has(said) || PREFIXES.some((prefix) => said.startsWith(prefix))
}

/** A vendor's whole sentence; ids that follow it in parentheses are left out. */
function isRefusalSentence(sentence: unknown): boolean {
  if (typeof sentence !== 'string' || sentence.length > SENTENCE_LENGTH_MAX) return false
  return SENTENCES.has(plain(sentence.replace(/(?: \([^()]{1,64}\)){1,2}$/, '')))
}

/** Where vendors write such words. */
const WORD_FIELDS = [
  'code',
  'type',
  'error_type',
  'error_code',
  'status',
  'reason',
  'name',
  'failureCode',
  'failure_code',
  'finish_reason',
  'finishReason',
  'blockReason',
] as const
const SENTENCE_FIELDS = ['message', 'msg', 'error', 'detail', 'failure'] as const
/** What vendors nest their words in. */
const INNER_FIELDS = [
  'error',
  'innererror',
  'inner_error',
  'metadata',
  'detail',
  'details',
  'errors',
  'last_error',
] as const

/** So deep do vendors nest: a list in `detail`, an inner error in an error. */
const DEPTH_MAX = 4
/** Entries of a list that are looked at. */
const ENTRIES_MAX = 16

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasRefusalWord(value: Json): boolean {
  const { base_resp: response, status, code } = value
  const responseCode = isObject(response) ? response['status_code'] : null
  if (typeof responseCode === 'number' && isRefusalWord(`base_resp ${responseCode}`)) return true
  if (typeof code === 'number' && typeof status === 'string' && isRefusalWord(`${status} ${code}`)) return true
  return (
    WORD_FIELDS.some((field) => isRefusalWord(value[field])) ||
    SENTENCE_FIELDS.some((field) => isRefusalSentence(value[field])) ||
    // xAI says so of an image that it keeps back.
    value['respect_moderation'] === false
  )
}

/** Longest text of an error within an error that is read. */
const INNER_TEXT_MAX = 16_384

/** What routers quote of the error of a provider, as text. Source: OpenRouter's API reference, "Errors", `metadata.raw`. */
function quotedError({ raw }: Json): unknown {
  const isJson = typeof raw === 'string' && raw.length <= INNER_TEXT_MAX && /^\s*[{[]/.test(raw)
  return isJson ? parseJsonText(Buffer.from(raw)) : null
}

/** Whether the body of a failure, or what came in place of an answer, says that content was refused. */
export function isContentRefusal(value: unknown, depth = DEPTH_MAX): boolean {
  if (Array.isArray(value)) return value.slice(0, ENTRIES_MAX).some((entry) => isContentRefusal(entry, depth))
  if (!isObject(value)) return isRefusalSentence(value)
  if (hasRefusalWord(value)) return true
  if (depth === 0) return false
  return [quotedError(value), ...INNER_FIELDS.map((field) => value[field])].some(
    (inner) => typeof inner === 'object' && inner !== null && isContentRefusal(inner, depth - 1),
  )
}

/** What an answer holds: where one of these is, words beside it are the answer's own. */
const ANSWER_FIELDS = ['choices', 'data', 'text', 'embeddings', 'outputs', 'unsigned_urls', 'usage'] as const

/** Whether a flat body without an error object is a refusal in the place of an answer. */
export function isFlatRefusal(value: Json): boolean {
  if (ANSWER_FIELDS.some((field) => (value[field] ?? null) !== null)) return false
  return isContentRefusal(value, 1)
}
