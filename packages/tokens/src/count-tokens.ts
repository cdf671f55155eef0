import { createRequire } from 'node:module'
import { cutIntoPieces } from './bounded-pieces.ts'

type Tokenizer = typeof import('gpt-tokenizer/encoding/o200k_base')

/** Text that looks like a special token is plain text here, as it is when a model reads a user's message. */
const PLAIN = { disallowedSpecial: new Set<string>() }

let loaded: Tokenizer | null = null

/**
 * Counts the tokens of a text in the o200k_base encoding, in time that grows with its length alone.
 *
 * The first call loads the tokenizer, which takes a few hundred milliseconds and 100 MB: the server calls it in a
 * worker thread only, through `createTokenCounter`. For models with another encoding the count is an estimate.
 */
export function countTokens(text: string): number {
  const tokenizer = loadTokenizer()
  let count = 0
  for (const piece of cutIntoPieces(text)) count += tokenizer.countTokens(piece, PLAIN)
  return count
}

/**
 * Splits a text into what each of its tokens adds to it; joined, the parts are the text again.
 *
 * There are exactly `countTokens(text)` parts. A token that ends inside a character has an empty part; the character is
 * in the part of the token that completes it.
 */
export function splitIntoTokens(text: string): string[] {
  const tokenizer = loadTokenizer()
  const parts: string[] = []
  for (const piece of cutIntoPieces(text)) splitPiece(tokenizer, piece, parts)
  return parts
}

function splitPiece(tokenizer: Tokenizer, piece: string, parts: string[]): void {
  const ids = tokenizer.encode(piece, PLAIN)
  const own: string[] = []
  let consumed = 0
  function* feed(): Generator<number> {
    for (const id of ids) {
      consumed++
      yield id
    }
  }
  for (const text of tokenizer.decodeGenerator(feed())) {
    while (own.length + 1 < consumed) own.push('')
    own.push(text)
  }
  while (own.length < ids.length) own.push('')
  // Decoding drops a byte order mark and replaces half a surrogate pair; the text itself must stay as it is.
  if (own.join('') !== piece) own.fill('').splice(0, 1, piece)
  for (const part of own) parts.push(part)
}

/** Loaded by `require` and not by `import`: the count is synchronous, and importing this file must cost nothing. */
function loadTokenizer(): Tokenizer {
  loaded ??= createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as Tokenizer
  return loaded
}
