import type { SeededRandom } from './seeded-random.ts'

/** Longest text that a pattern gives. */
const LENGTH_MAX = 4_096
const DEPTH_MAX = 32

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const WORD = `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}_`
const ANY = `${LETTERS}${DIGITS}`
const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')

const escapedSets: Readonly<Record<string, string>> = {
  d: DIGITS,
  w: WORD,
  s: ' ',
  D: LETTERS,
  W: '-',
  S: ANY,
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Thrown inside for what this file does not understand; never leaves it. */
class UnsupportedPattern extends Error {}

/**
 * Makes a text that a regular expression matches, without ever running the expression, which comes from a client.
 *
 * Understands literals, classes, groups, alternatives and counts. Returns null for the rest (look-around, references,
 * `\b`).
 * @param minLength in characters; counts without an upper bound are stretched until the text is that long.
 */
export function textForPattern(pattern: string, minLength: number, random: SeededRandom): string | null {
  if (pattern.length > 1_024) return null
  try {
    let text = ''
    for (let stretch = 0; stretch <= 256; stretch = stretch * 2 + 1) {
      const reader = new PatternReader(pattern, stretch, random)
      text = reader.readAll()
      if (text.length >= minLength) return text
    }
    return text
  } catch (error) {
    if (error instanceof UnsupportedPattern) return null
    throw error
  }
}

class PatternReader {
  readonly #pattern: string
  readonly #stretch: number
  readonly #random: SeededRandom
  #at = 0
  #made = 0

  constructor(pattern: string, stretch: number, random: SeededRandom) {
    this.#pattern = pattern
    this.#stretch = stretch
    this.#random = random
  }

  readAll(): string {
    const make = this.#alternatives(0)
    if (this.#at < this.#pattern.length) throw new UnsupportedPattern()
    return make()
  }

  #alternatives(depth: number): () => string {
    if (depth > DEPTH_MAX) throw new UnsupportedPattern()
    const options = [this.#sequence(depth)]
    while (this.#takes('|')) options.push(this.#sequence(depth))
    return () => this.#random.pick(options)()
  }

  #sequence(depth: number): () => string {
    const parts: (() => string)[] = []
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#next())) {
      if (this.#takes('^') || this.#takes('$')) continue
      parts.push(this.#counted(this.#atom(depth)))
    }
    return () => parts.map((make) => make()).join('')
  }

  #atom(depth: number): () => string {
    const char = this.#take()
    if (char === '(') return this.#group(depth)
    if (char === '[') return this.#oneOf(this.#class())
    if (char === '.') return this.#oneOf(ANY)
    if (char === '\\') return this.#oneOf(this.#escape())
    if ('*+?{'.includes(char)) throw new UnsupportedPattern()
    return () => char
  }

  #group(depth: number): () => string {
    if (this.#takes('?')) {
      const name = /^(?::|<[A-Za-z_]\w*>)/.exec(this.#pattern.slice(this.#at))?.[0]
      if (name === undefined) throw new UnsupportedPattern()
      this.#at += name.length
    }
    const inner = this.#alternatives(depth + 1)
    if (!this.#takes(')')) throw new UnsupportedPattern()
    return inner
  }

  #escape(): string {
    const char = this.#take()
    if (char === 'p') {
      const name = /^\{\w+\}/.exec(this.#pattern.slice(this.#at))?.[0]
      if (name === undefined) throw new UnsupportedPattern()
      this.#at += name.length
      if (/^\{(L|Letter|Ll|Alphabetic)\}$/.test(name)) return LETTERS
      if (/^\{(N|Nd)\}$/.test(name)) return DIGITS
      if (/^\{Lu\}$/.test(name)) return LETTERS.toUpperCase()
      throw new UnsupportedPattern()
    }
    const known = escapedSets[char]
    if (known !== undefined) return known
    if (/[A-Za-z0-9]/.test(char)) throw new UnsupportedPattern()
    return char
  }

  #class(): string {
    const isNegated = this.#takes('^')
    let allowed = ''
    while (!this.#takes(']')) {
      const first = this.#classMember()
      if (first.length === 1 && this.#next() === '-' && this.#pattern[this.#at + 1] !== ']') {
        this.#at++
        allowed += rangeOf(first, this.#classMember())
      } else allowed += first
    }
    if (isNegated) allowed = [...`${ANY}${PRINTABLE}`].filter((char) => !allowed.includes(char)).join('')
    if (allowed === '') throw new UnsupportedPattern()
    return allowed
  }

  #classMember(): string {
    const char = this.#take()
    return char === '\\' ? this.#escape() : char
  }

  #counted(make: () => string): () => string {
    const [low, high] = this.#count()
    this.#takes('?')
    return () => {
      const times = Math.min(
        high,
        low === high ? low : low + this.#stretch + (low === 0 ? this.#random.integer(0, 1) : 0),
      )
      let text = ''
      for (let time = 0; time < times; time++) {
        if (this.#made > LENGTH_MAX) break
        const part = make()
        this.#made += part.length + 1
        text += part
      }
      return text
    }
  }

  #count(): readonly [number, number] {
    if (this.#takes('?')) return [0, 1]
    if (this.#takes('*')) return [0, LENGTH_MAX]
    if (this.#takes('+')) return [1, LENGTH_MAX]
    const match = /^\{(\d{1,6})(?:(,)(\d{1,6})?)?\}/.exec(this.#pattern.slice(this.#at))
    if (match === null) return [1, 1]
    this.#at += match[0].length
    const low = Math.min(Number(match[1]), LENGTH_MAX)
    if (match[2] === undefined) return [low, low]
    return [low, match[3] === undefined ? LENGTH_MAX : Math.min(Number(match[3]), LENGTH_MAX)]
  }

  #oneOf(characters: string): () => string {
    return () => characters.charAt(this.#random.integer(0, characters.length - 1))
  }

  #next(): string {
    return this.#pattern.charAt(this.#at)
  }

  #take(): string {
    if (this.#at >= this.#pattern.length) throw new UnsupportedPattern()
    return this.#pattern.charAt(this.#at++)
  }

  #takes(char: string): boolean {
    if (this.#at >= this.#pattern.length || this.#pattern.charAt(this.#at) !== char) return false
    this.#at++
    return true
  }
}

function rangeOf(first: string, last: string): string {
  if (last.length !== 1 || last < first) throw new UnsupportedPattern()
  const from = first.charCodeAt(0)
  const size = Math.min(last.charCodeAt(0) - from + 1, 256)
  return Array.from({ length: size }, (_, index) => String.fromCharCode(from + index)).join('')
}
