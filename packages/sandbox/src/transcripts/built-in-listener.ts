import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import createModule, { type Decoder } from 'soundswallower'
import { LISTEN_RATE } from './decode-audio.ts'
import { type LanguageModel, loadLanguageModel } from './language-model.ts'
import type { SpokenWord } from './transcript.ts'

/** Reads a part of audio, of 16,000 samples a second. Times are in seconds from its beginning. */
export type Listener = (samples: Float32Array) => SpokenWord[]

/** Functions of the library's own interface, below what it shows. Source: SoundSwallower 0.6, `fsg_model.h`. */
interface GraphCalls {
  readonly HEAPU8: Uint8Array
  _malloc(size: number): number
  _free(place: number): void
  _decoder_logmath(decoder: number): number
  _logmath_log(logmath: number, value: number): number
  _fsg_model_init(name: number, logmath: number, weight: number, states: number): number
  _fsg_model_word_add(graph: number, word: number): number
  _fsg_model_trans_add(graph: number, from: number, to: number, chance: number, word: number): void
  _fsg_model_null_trans_add(graph: number, from: number, to: number, chance: number): number
  _fsg_set_states(graph: number, start: number, end: number): void
  _decoder_set_fsg(decoder: number, graph: number): number
}

/** How much the words count beside the audio, and how likely a new word is. Source: measured, decision 0027. */
const LANGUAGE_WEIGHT = 5.5
const WORD_CHANCE = 3
/**
 * Other ways to speak a word are put into the graph here: for each of them the library looks through the whole of it,
 * which took four fifths of the time.
 */
const SETTINGS = { loglevel: 'FATAL', samprate: LISTEN_RATE, cmn: 'batch', fsgusealtpron: false }
const [ANY, START, END, FIRST_WORD] = [0, 1, 2, 3]

/**
 * Loads the recogniser that comes as a package, with a graph of the words that are likely after each other. Takes a
 * second or more and several hundred megabytes.
 */
export async function createBuiltInListener(cacheFolder: string | null): Promise<Listener> {
  const base = join(dirname(createRequire(import.meta.url).resolve('soundswallower')), 'model') + sep
  const library = await createModule({ modelBase: base } as object)
  const { Decoder: Constructor } = library as unknown as { readonly Decoder: new (settings: object) => Decoder }
  const decoder = new Constructor(SETTINGS)
  await decoder.initialize()
  const known = new Set(
    readFileSync(join(base, 'en-us', 'dict.txt'), 'utf8')
      .split('\n')
      .map((line) => line.split(/\s/)[0] ?? ''),
  )
  const graph = { model: loadLanguageModel(known, cacheFolder), others: otherWaysIn(known) }
  setGraph(library as unknown as GraphCalls, decoder, graph)
  return (samples) => listen(decoder, samples)
}

/** What else is in the dictionary for a word: `the(2)` is another way to speak `the`. */
function otherWaysIn(known: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(
    [...known].filter((name) => name.endsWith(')')),
    (name) => name.slice(0, name.indexOf('(')),
  )
}

interface WordGraph {
  readonly model: LanguageModel
  /** Other ways to speak a word. */
  readonly others: ReadonlyMap<string, readonly string[]>
}

function setGraph(calls: GraphCalls, decoder: Decoder, { model, others }: WordGraph): void {
  const text = (value: string): number => {
    const bytes = Buffer.from(`${value}\0`)
    const place = calls._malloc(bytes.length)
    calls.HEAPU8.set(bytes, place)
    return place
  }
  const handle = (decoder as unknown as { readonly cdecoder: number }).cdecoder
  const logmath = calls._decoder_logmath(handle)
  const chance = (value: number): number =>
    Math.min(0, Math.round(calls._logmath_log(logmath, value) * LANGUAGE_WEIGHT))
  const graph = calls._fsg_model_init(text('words'), logmath, LANGUAGE_WEIGHT, model.words.length + FIRST_WORD)
  const numbersOf = model.words.map((word) =>
    [word, ...(others.get(word) ?? [])].map((spoken) => {
      const place = text(spoken)
      const number = calls._fsg_model_word_add(graph, place)
      calls._free(place)
      return number
    }),
  )
  const follow = (from: number, at: number, value: number): void => {
    for (const number of numbersOf[at] ?? []) calls._fsg_model_trans_add(graph, from, at + FIRST_WORD, value, number)
  }
  const end = chance(1)
  for (const at of model.words.keys()) {
    follow(ANY, at, chance((model.alone[at] ?? 0) * WORD_CHANCE))
    calls._fsg_model_null_trans_add(graph, at + FIRST_WORD, ANY, chance(model.backOff[at] ?? 1))
    calls._fsg_model_null_trans_add(graph, at + FIRST_WORD, END, end)
  }
  for (const [before, word, value] of model.pairs) {
    follow(before < 0 ? START : before + FIRST_WORD, word, chance(value * WORD_CHANCE))
  }
  calls._fsg_model_null_trans_add(graph, START, ANY, chance(model.startBackOff))
  calls._fsg_set_states(graph, START, END)
  if (calls._decoder_set_fsg(handle, graph) !== 0) throw new Error('The recogniser does not take its words.')
}

function listen(decoder: Decoder, samples: Float32Array): SpokenWord[] {
  decoder.start()
  decoder.process_audio(samples, false, true)
  decoder.stop()
  let heard: ReturnType<Decoder['get_alignment']>
  try {
    heard = decoder.get_alignment()
  } catch {
    // It says so by throwing when it has heard no word.
    return []
  }
  return (heard.w ?? []).flatMap(({ t, b, d }) => {
    const word = t.replace(/\(\d+\)$/, '')
    return /^[a-z]/.test(word) ? [{ word, start: b, end: b + d }] : []
  })
}
