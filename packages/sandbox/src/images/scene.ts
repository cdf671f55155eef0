import { createSeededRandom } from '../seeded-random.ts'
import { type Backdrop, findBackdrop, isBackdropWord } from './backdrop.ts'
import type { Icon, IconIndex } from './icon-index.ts'

/** One drawing in a scene; places and sizes are parts of the image's width and height, sizes of the lesser one. */
export interface SceneObject {
  readonly icon: Icon
  /** Middle, from 0 to 1. */
  readonly x: number
  readonly y: number
  readonly size: number
  readonly layer: 'sky' | 'ground'
  /** Whether the prompt says that it moves along. */
  readonly moves: boolean
}

/** What a prompt shows. */
export interface Scene {
  readonly prompt: string
  readonly backdrop: Backdrop
  readonly objects: readonly SceneObject[]
  readonly filter: 'none' | 'grey' | 'sepia'
  /** Numbers from 0 to 1 that belong to the seed, for shapes of the backdrop. */
  readonly chance: readonly number[]
}

/** Drawings in one scene, at most. */
const OBJECTS_MAX = 9
const WORDS_MAX = 400

const skyNames = new Set(
  (
    'sun moon star stars cloud rainbow airplane helicopter balloon bird eagle bat saucer rocket comet snowflake ' +
    'lightning voltage kite butterfly bee honeybee parachute planet galaxy dove owl ringed'
  ).split(' '),
)
const numbers = new Map([
  ['two', 2],
  ['three', 3],
  ['four', 4],
  ['five', 5],
  ['pair', 2],
  ['several', 3],
  ['many', 5],
])
const motion = new Set(
  'running riding flying driving sailing swimming racing walking jumping moving chasing galloping skating'.split(' '),
)
const upon = new Set('riding driving on atop sitting standing wearing'.split(' '))
const ignored = new Set(
  (
    'a an the of on in at with and or under over is are to for by from near very into photo picture image style ' +
    'painting drawing illustration render small big large little tiny huge beautiful old young new good happy ' +
    'his her its their that this some it as out up down make show me please draw generate create ' +
    'video clip scene background wearing ' +
    'red green blue yellow orange purple pink black white brown gray grey golden silver above below between through ' +
    'playing play eating eat cooking cook drinking holding looking standing add remove change replace turn put place ' +
    'instead background foreground more less bright brighter dark darker blur blurred invert mirror flip vivid edit ' +
    'photorealistic realistic detailed high quality hd cinematic minimal simple white colorful one'
  ).split(' '),
)

/** Reads a prompt and places what it names. Equal prompts and seeds give equal scenes. */
export function composeScene(index: IconIndex, prompt: string, seed: string): Scene {
  const random = createSeededRandom(`scene|${seed}|${prompt}`)
  const words = (prompt.toLowerCase().match(/[a-z]+/g) ?? []).slice(0, WORDS_MAX)
  const named = namedIcons(index, words)
  const sky = named.filter(({ icon }) => isInSky(icon))
  const ground = named.filter(({ icon }) => !isInSky(icon))
  const size = ground.length <= 1 ? 0.52 : ground.length === 2 ? 0.42 : 0.36 - 0.02 * ground.length
  const moves = words.some((word) => motion.has(word))
  const placed: SceneObject[] = sky.map(({ icon }, at) => ({
    ...{ icon, layer: 'sky', moves, size: 0.16 + random.fraction() * 0.05 },
    x: (at + 0.5 + (random.fraction() - 0.5) * 0.3) / sky.length,
    y: 0.14 + random.fraction() * 0.12,
  }))
  let column = 0
  const columns = ground.filter(({ isOnNext }, at) => !(isOnNext && at + 1 < ground.length)).length
  for (const [at, { icon, isOnNext }] of ground.entries()) {
    const rides = isOnNext && at + 1 < ground.length
    const middle = (column + 0.5 + (random.fraction() - 0.5) * 0.12) / Math.max(1, columns)
    const x = Math.min(1 - size / 2, Math.max(size / 2, middle))
    const y = 0.68 - size * 0.12 + random.fraction() * 0.08
    placed.push({ icon, layer: 'ground', moves, x, y: rides ? y - size * 0.5 : y, size: rides ? size * 0.85 : size })
    if (!rides) column += 1
  }
  return {
    ...{ prompt, objects: placed, backdrop: findBackdrop(words, random) },
    filter: /black and white|monochrome|grayscale|greyscale/i.test(prompt)
      ? 'grey'
      : /sepia/i.test(prompt)
        ? 'sepia'
        : 'none',
    chance: Array.from({ length: 64 }, () => random.fraction()),
  }
}

function isInSky({ slug }: Icon): boolean {
  return slug.split('-').some((part) => skyNames.has(part))
}

interface NamedIcon {
  readonly icon: Icon
  /** `a cat riding a bicycle`: the cat is on what comes next. */
  readonly isOnNext: boolean
}

function namedIcons(index: IconIndex, words: readonly string[]): NamedIcon[] {
  const found: NamedIcon[] = []
  const known = new Set<string>()
  let count = 1
  for (let at = 0; at < words.length && found.length < OBJECTS_MAX; at += 1) {
    const word = words[at] ?? ''
    const pair = index.find(`${word} ${words[at + 1] ?? ''}`)
    const icon = pair ?? (ignored.has(word) || isBackdropWord(word) ? null : findWord(index, word))
    const number = numbers.get(word)
    if (number !== undefined) {
      count = number
      continue
    }
    if (icon === null || known.has(icon.slug)) {
      const last = found.at(-1)
      if (upon.has(word) && last !== undefined) found[found.length - 1] = { ...last, isOnNext: true }
      if (!ignored.has(word)) count = 1
      continue
    }
    if (pair !== null) at += 1
    known.add(icon.slug)
    for (let copy = 0; copy < count && found.length < OBJECTS_MAX; copy += 1) found.push({ icon, isOnNext: false })
    count = 1
  }
  return found
}

function findWord(index: IconIndex, word: string): Icon | null {
  if (word.length < 3 || motion.has(word) || upon.has(word)) return null
  const forms = [
    word,
    word.replace(/ies$/, 'y'),
    word.replace(/es$/, ''),
    word.replace(/s$/, ''),
    word.replace(/ing$/, ''),
  ]
  for (const form of forms) {
    const icon = form.length < 3 ? null : index.find(form)
    if (icon !== null) return icon
  }
  return null
}
