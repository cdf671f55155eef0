/**
 * Whether an upstream's words say one certain thing: by a table of what vendors write, wherever they write it. Words
 * and sentences are compared as a whole, so that none is found in a text that quotes a prompt.
 */
import { parseJsonText } from '../platform/json/parse-json.ts'

type Json = Readonly<Record<string, unknown>>

/** What one vendor writes. */
export interface VendorWords {
  readonly vendor: string
  /** Values of `code`, `type`, `status`, `reason` and the like, wherever a vendor writes them. */
  readonly words: readonly string[]
  /** Words that a vendor goes on to specify: `InputTextSensitiveContentDetected.PolicyViolation`. */
  readonly prefixes?: readonly string[]
  /**
   * Whole sentences of vendors that have no word for it. `{}` stands for what differs from one to the next, such as a
   * date or a number.
   */
  readonly sentences?: readonly string[]
  readonly source: string
}

/** Without case and without what is neither letter nor digit: vendors spell one word in several ways. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]+/g, '')
}

/** Longest word that is compared, and longest sentence. Source: own choice, above every one in the tables. */
const WORD_LENGTH_MAX = 128
const SENTENCE_LENGTH_MAX = 320
/** Letters and digits in the place of `{}`, at most. Source: own choice. */
const GAP_MAX = 120

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
/** Longest text of an error within an error that is read. */
const INNER_TEXT_MAX = 16_384

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What routers quote of the error of a provider, as text. Source: OpenRouter's API reference, "Errors", `metadata.raw`. */
function quotedError({ raw }: Json): unknown {
  const isJson = typeof raw === 'string' && raw.length <= INNER_TEXT_MAX && /^\s*[{[]/.test(raw)
  return isJson ? parseJsonText(Buffer.from(raw)) : null
}

/** One table, ready to be looked up. Made once. */
export class WordTable {
  readonly #words: ReadonlySet<string>
  readonly #prefixes: readonly string[]
  readonly #sentences: ReadonlySet<string>
  readonly #templates: readonly (readonly string[])[]
  readonly #readsQuoted: boolean
  readonly #also: (value: Json) => boolean

  /**
   * @param options.readsQuoted whether what a router quotes of its provider's words counts, too.
   * @param options.also what says it without any word; absent: nothing does.
   */
  constructor(
    rows: readonly VendorWords[],
    { readsQuoted, also }: { readonly readsQuoted: boolean; readonly also?: (value: Json) => boolean },
  ) {
    const sentences = rows.flatMap((row) => row.sentences ?? [])
    this.#words = new Set(rows.flatMap(({ words }) => words.map(plain)))
    this.#prefixes = rows.flatMap(({ prefixes = [] }) => prefixes.map(plain))
    this.#sentences = new Set(sentences.filter((sentence) => !sentence.includes('{}')).map(plain))
    this.#templates = sentences
      .filter((sentence) => sentence.includes('{}'))
      .map((sentence) => sentence.split('{}').map(plain))
    this.#readsQuoted = readsQuoted
    this.#also = also ?? (() => false)
  }

  /** Whether one word is in the table. */
  hasWord(word: unknown): boolean {
    if (typeof word === 'number') return this.#words.has(String(word))
    if (typeof word !== 'string' || word === '' || word.length > WORD_LENGTH_MAX) return false
    const said = plain(word)
    return this.#words.has(said) || this.#prefixes.some((prefix) => said.startsWith(prefix))
  }

  /** Whether the body of a failure, or what came in place of an answer, says it. */
  isSaidIn(value: unknown, depth = DEPTH_MAX): boolean {
    if (Array.isArray(value)) return value.slice(0, ENTRIES_MAX).some((entry) => this.isSaidIn(entry, depth))
    if (!isObject(value)) return this.#hasSentence(value)
    if (this.#isSaidAt(value)) return true
    if (depth === 0) return false
    const quoted = this.#readsQuoted ? [quotedError(value)] : []
    return [...quoted, ...INNER_FIELDS.map((field) => value[field])].some(
      (inner) => typeof inner === 'object' && inner !== null && this.isSaidIn(inner, depth - 1),
    )
  }

  #isSaidAt(value: Json): boolean {
    const { base_resp: response, status, code } = value
    const responseCode = isObject(response) ? response['status_code'] : null
    if (typeof responseCode === 'number' && this.hasWord(`base_resp ${responseCode}`)) return true
    if (typeof code === 'number' && typeof status === 'string' && this.hasWord(`${status} ${code}`)) return true
    return (
      WORD_FIELDS.some((field) => this.hasWord(value[field])) ||
      SENTENCE_FIELDS.some((field) => this.#hasSentence(value[field])) ||
      this.#also(value)
    )
  }

  /** A vendor's whole sentence; ids that follow it in parentheses are left out. */
  #hasSentence(sentence: unknown): boolean {
    if (typeof sentence !== 'string' || sentence.length > SENTENCE_LENGTH_MAX) return false
    const said = plain(sentence.replace(/(?: \([^()]{1,64}\)){1,2}$/, ''))
    return this.#sentences.has(said) || this.#templates.some((template) => fits(said, template))
  }
}

/** Whether a text is a template's parts in their order, with something short between each two. */
function fits(said: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop() ?? ''
  if (!said.startsWith(first) || !said.endsWith(last)) return false
  let end = first.length
  for (const part of others) {
    const at = said.indexOf(part, end + 1)
    if (at === -1 || at - end > GAP_MAX) return false
    end = at + part.length
  }
  const gap = said.length - last.length - end
  return gap > 0 && gap <= GAP_MAX
}
