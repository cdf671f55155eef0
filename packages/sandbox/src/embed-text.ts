/**
 * Vectors of texts, by hashing: each word, each pair of neighbours and each three letters of a word push the vector in
 * a direction of its own. Texts with the same words are near each other, texts without any in common are not; nothing
 * is known of what words mean. The same text always has the same vector.
 */
import { createHash } from 'node:crypto'

/** One entry of so many is pushed by each feature. */
const BLOCK = 8
const WORD = /[\p{L}\p{N}]+/gu

const WORD_WEIGHT = 1
const PAIR_WEIGHT = 0.5
const PART_WEIGHT = 0.25
const PART_LENGTH = 3

function addFeature(features: Map<string, number>, feature: string, weight: number): void {
  features.set(feature, (features.get(feature) ?? 0) + weight)
}

function featuresOf(text: string): Map<string, number> {
  const features = new Map<string, number>()
  let before: string | null = null
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    addFeature(features, `w:${word}`, WORD_WEIGHT)
    if (before !== null) addFeature(features, `p:${before} ${word}`, PAIR_WEIGHT)
    const framed = `<${word}>`
    for (let at = 0; at + PART_LENGTH <= framed.length; at++) {
      addFeature(features, `s:${framed.slice(at, at + PART_LENGTH)}`, PART_WEIGHT / framed.length)
    }
    before = word
  }
  // A text of signs alone is a feature of its own.
  if (features.size === 0) addFeature(features, `t:${text}`, WORD_WEIGHT)
  return features
}

function seedOf(feature: string, seed: string): number {
  return createHash('sha256').update(`${seed}\n${feature}`).digest().readUInt32LE(0) || 1
}

/** The next number of a xorshift sequence. Source: Marsaglia, "Xorshift RNGs", 2003. */
function next(state: number): number {
  let value = state ^ (state << 13)
  value ^= value >>> 17
  value ^= value << 5
  return value >>> 0
}

function normalise(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  if (length === 0) vector[0] = 1
  else for (const [index, value] of vector.entries()) vector[index] = value / length
  return vector
}

/**
 * Makes a vector of length one. A shorter one is the beginning of a longer one, made one long again.
 *
 * @param text as it is, or ids of tokens, which are features as they are.
 */
export function embedText(
  text: string | readonly number[],
  { dimensions, seed }: { readonly dimensions: number; readonly seed: string },
): Float32Array {
  const features = typeof text === 'string' ? featuresOf(text) : new Map(text.map((id) => [`i:${id}`, 1]))
  const vector = new Float32Array(dimensions)
  for (const [feature, weight] of features) {
    // Words that come often say less each time.
    const push = Math.sqrt(weight)
    let state = seedOf(feature, seed)
    for (let block = 0; block < dimensions; block += BLOCK) {
      state = next(state)
      const place = block + (state & (BLOCK - 1))
      if (place < dimensions) vector[place] = (vector[place] ?? 0) + (state & BLOCK ? push : -push)
    }
  }
  return normalise(vector)
}
