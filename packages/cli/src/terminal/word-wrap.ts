import stringWidth from 'string-width'
import type { Output } from './output.ts'

/** Fences of code: its lines stay as they are, since they are copied. */
const FENCE = '```'
/** A longer run without a blank is no word, and is written as it comes. */
const WORD_MAX = 40

/**
 * Writes text that comes in pieces, with its lines ended between words where the terminal's would end within one. A
 * word is written once its end is known. What is no terminal gets every piece as it is.
 */
export class WordWrap {
  readonly #output: Output
  /** What is on the present line, as it was written or waits. */
  #line = ''
  #column = 0
  #blanks = ''
  #word = ''
  #isCode = false

  constructor(output: Output) {
    this.#output = output
  }

  async text(piece: string): Promise<void> {
    if (!this.#output.isTerminal) return this.#output.text(piece)
    let out = ''
    for (const { segment } of new Intl.Segmenter().segment(piece)) out += this.#take(segment)
    if (out !== '') await this.#output.text(out)
  }

  /** Writes what waits. */
  async end(): Promise<void> {
    const rest = this.#placeWord() + this.#blanks
    this.#blanks = ''
    if (rest !== '') await this.#output.text(rest)
  }

  #take(character: string): string {
    if (character.includes('\n')) return this.#endLine(character)
    this.#line += character
    if (character === ' ' || character === '\t') {
      const out = this.#placeWord()
      this.#blanks += character
      return out
    }
    this.#word += character
    // Writing without blanks may end a line anywhere.
    const isWide = stringWidth(character) > 1
    return isWide || this.#word.length >= WORD_MAX ? this.#placeWord() : ''
  }

  #endLine(end: string): string {
    const out = this.#placeWord() + this.#blanks + end
    if (this.#line.trimStart().startsWith(FENCE)) this.#isCode = !this.#isCode
    this.#line = ''
    this.#blanks = ''
    this.#column = 0
    return out
  }

  #placeWord(): string {
    if (this.#word === '') return ''
    const width = stringWidth(this.#word)
    const before = this.#blanks.length
    const isTooLong = this.#column + before + width > this.#output.width()
    const breaks = isTooLong && before > 0 && this.#column > 0 && !this.#isCode
    const out = (breaks ? '\n' : this.#blanks) + this.#word
    this.#column = breaks ? width : this.#column + before + width
    this.#blanks = ''
    this.#word = ''
    return out
  }
}
