/**
 * Chunks of one stream mostly differ in a few words. A template is made from a chunk that was read whole, and reads the
 * next ones that are like it: their words are cut out of the text and set into what that chunk became, without taking
 * the JSON apart and writing it again. What does not fit is read whole. Source: decision 0056 (chunks that repeat).
 */
import { parseAnswerJson } from '../../platform/json/parse-json.ts'
import type { ChunkFacts } from '../chat-upstream.ts'
import { type CleanChunk, cleanChunk, membersOf } from './clean-chunk.ts'
import { isObject } from './usage.ts'

/** A chunk as its reader gets it. */
export interface ReadChunk {
  /** As JSON text, without the braces around them. */
  readonly members: string
  readonly facts: ChunkFacts
}

/** Words to try a template with. Source: own choice; any that are not empty would do. */
const PROBE = 'probe'

/** What JSON writes as an escape within a string. */
// oxlint-disable-next-line no-control-regex
const NOT_PLAIN = /["\\\u0000-\u001f]/

/** What a string says by the text between its quotes; null where that text is not one string. */
function unescape(text: string): string | null {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return null
  }
}

/** The words of a chunk with one choice; null where there are none. */
function wordsOf({ chunk }: CleanChunk): string | null {
  const [choice, ...others] = chunk.choices
  if (choice === undefined || others.length > 0) return null
  const { content, reasoning_content: reasoning } = choice.delta
  if (typeof content === 'string' && content !== '') return content
  return typeof reasoning === 'string' && reasoning !== '' ? reasoning : null
}

function readChunk(data: string): CleanChunk | null {
  try {
    const value = parseAnswerJson(data)
    return isObject(value) ? cleanChunk(value) : null
  } catch {
    return null
  }
}

/** A text around words, with the quotes. */
interface Surroundings {
  readonly before: string
  readonly after: string
}

function around(text: string, token: string): Surroundings | null {
  const start = text.lastIndexOf(token)
  if (start === -1) return null
  return { before: text.slice(0, start + 1), after: text.slice(start + token.length - 1) }
}

class ChunkTemplate {
  readonly #read: Surroundings
  readonly #written: Surroundings
  readonly #facts: ChunkFacts

  private constructor(read: Surroundings, written: Surroundings, facts: ChunkFacts) {
    this.#read = read
    this.#written = written
    // Of what is beside the words.
    this.#facts = { ...facts, outputBytes: facts.outputBytes - PROBE.length }
  }

  /**
   * Makes a template from a chunk and tries it: other words in the place of its own have to come out in the same place.
   * Null where they do not, as when the same words appear twice.
   */
  static make(data: string, cleaned: CleanChunk): ChunkTemplate | null {
    const words = wordsOf(cleaned)
    if (words === null || cleaned.facts.finishReason !== null) return null
    const read = around(data, JSON.stringify(words))
    const probed = read === null ? null : readChunk(`${read.before}${PROBE}${read.after}`)
    if (read === null || probed === null || wordsOf(probed) !== PROBE) return null
    const written = around(membersOf(probed), JSON.stringify(PROBE))
    if (written === null) return null
    const template = new ChunkTemplate(read, written, probed.facts)
    return template.read(data)?.members === membersOf(cleaned) ? template : null
  }

  /** Reads a chunk; null where it is not like the one that the template was made from. */
  read(data: string): ReadChunk | null {
    const { before, after } = this.#read
    const end = data.length - after.length
    if (end <= before.length || !data.startsWith(before) || !data.endsWith(after)) return null
    const text = data.slice(before.length, end)
    if (!NOT_PLAIN.test(text)) return this.#fill(text, text)
    const words = unescape(text)
    return words === null ? null : this.#fill(words, JSON.stringify(words).slice(1, -1))
  }

  #fill(words: string, text: string): ReadChunk {
    const { hasContent, isReasoning, hasCalls, finishReason, outputBytes, audioBytes, images } = this.#facts
    const said = { hasContent, isReasoning, hasCalls, finishReason, audioBytes, images }
    return {
      members: `${this.#written.before}${text}${this.#written.after}`,
      facts: { outputBytes: outputBytes + Buffer.byteLength(words), ...said },
    }
  }
}

/** A template has paid for its making once it has read so many chunks. Source: own choice; making one costs as much as three. */
const READS_MIN = 8
/** Chunks that are read whole between two templates, at most, where none was worth it. Source: own choice. */
const WAIT_MAX = 256

/** The template of one stream: made anew when its chunks change, and ever more seldom where each is different. */
export class ChunkTemplates {
  #template: ChunkTemplate | null = null
  #served = 0
  /** The first chunk of a stream is often unlike the others. */
  #wait = 2
  #left = 2

  /** Reads a chunk that is like the one before; null where it has to be read whole. */
  read(data: string): ReadChunk | null {
    const read = this.#template === null ? null : this.#template.read(data)
    if (read !== null) this.#served++
    return read
  }

  /** Learns from a chunk that was read whole, and that holds nothing but words. */
  learnFrom(data: string, cleaned: CleanChunk): void {
    this.#left--
    if (this.#left > 0 && this.#served < READS_MIN) return
    this.#wait = this.#served < READS_MIN ? Math.min(this.#wait * 2, WAIT_MAX) : 2
    this.#left = this.#wait
    this.#served = 0
    this.#template = ChunkTemplate.make(data, cleaned)
  }
}
