import type { SeededRandom } from '../seeded-random.ts'

/** What is behind everything: a sky, and a land of some shape. Colours are CSS. */
export interface Backdrop {
  readonly sky: readonly [string, string]
  readonly land: readonly [string, string]
  readonly shape: 'hills' | 'waves' | 'dunes' | 'peaks' | 'roofs' | 'none'
  readonly isNight: boolean
}

const places: Readonly<Record<string, Omit<Backdrop, 'isNight'>>> = {
  sea: { sky: ['#8fd8ff', '#e6f7ff'], land: ['#2f8fd0', '#0f4c8a'], shape: 'waves' },
  beach: { sky: ['#7fd3f7', '#fdf3d0'], land: ['#f3d38a', '#d9a95b'], shape: 'dunes' },
  forest: { sky: ['#bfe9c8', '#f0fbe8'], land: ['#4d9a4a', '#1f5a2b'], shape: 'hills' },
  desert: { sky: ['#ffd89a', '#fff1d6'], land: ['#e0a35c', '#b06f36'], shape: 'dunes' },
  snow: { sky: ['#cfe4f7', '#f7fbff'], land: ['#ffffff', '#bcd3e8'], shape: 'hills' },
  city: { sky: ['#b9cbe0', '#eef3f8'], land: ['#7d8ea3', '#4a596c'], shape: 'roofs' },
  space: { sky: ['#05051a', '#251248'], land: ['#3a2a66', '#180f33'], shape: 'none' },
  mountains: { sky: ['#a9d3f5', '#eef7ff'], land: ['#8296b3', '#4c5f7d'], shape: 'peaks' },
  meadow: { sky: ['#a5dcff', '#eefaff'], land: ['#8fce6a', '#4f9a3f'], shape: 'hills' },
  room: { sky: ['#f1e3d0', '#e4cfb4'], land: ['#b98a5e', '#8f6642'], shape: 'none' },
}

const placeOf: Readonly<Record<string, keyof typeof places>> = {
  ...{
    sea: 'sea',
    ocean: 'sea',
    lake: 'sea',
    river: 'sea',
    water: 'sea',
    waves: 'sea',
    underwater: 'sea',
    harbor: 'sea',
  },
  ...{ beach: 'beach', island: 'beach', coast: 'beach', shore: 'beach' },
  ...{ forest: 'forest', woods: 'forest', jungle: 'forest', trees: 'forest', garden: 'meadow', park: 'meadow' },
  ...{ desert: 'desert', sand: 'desert', dunes: 'desert', mars: 'desert' },
  ...{ snow: 'snow', snowy: 'snow', winter: 'snow', ice: 'snow', arctic: 'snow' },
  ...{ city: 'city', street: 'city', town: 'city', skyline: 'city', urban: 'city', downtown: 'city' },
  ...{ space: 'space', galaxy: 'space', stars: 'space', cosmos: 'space', orbit: 'space' },
  ...{ mountain: 'mountains', mountains: 'mountains', alps: 'mountains', peak: 'mountains', volcano: 'mountains' },
  ...{ kitchen: 'room', room: 'room', office: 'room', cafe: 'room', library: 'room', table: 'room' },
}

const skies: readonly { readonly words: RegExp; readonly sky: readonly [string, string]; readonly isNight: boolean }[] =
  [
    {
      words: /^(night|midnight|nighttime|moon|moonlight|moonlit|stars|starry|dark)$/,
      sky: ['#0b1033', '#33407e'],
      isNight: true,
    },
    { words: /^(sunset|dusk|evening|twilight|sunrise|dawn)$/, sky: ['#4b2a6b', '#ff9a6b'], isNight: false },
    { words: /^(storm|stormy|rain|rainy|thunder)$/, sky: ['#56657a', '#a9b4c2'], isNight: false },
  ]

/** Words that a backdrop shows by itself: no drawing has to say them again. */
export function isBackdropWord(word: string): boolean {
  if (['trees', 'stars', 'moon', 'island', 'volcano', 'mountain', 'waves', 'table'].includes(word)) return false
  return Object.hasOwn(placeOf, word) || skies.some(({ words }) => words.test(word))
}

const usual = ['meadow', 'sea', 'mountains', 'snow', 'desert', 'forest'] as const

/** Chooses by the words for places and times; where there is none, by chance. */
export function findBackdrop(words: readonly string[], random: SeededRandom): Backdrop {
  const named = words.map((word) => (Object.hasOwn(placeOf, word) ? placeOf[word] : undefined)).find(Boolean)
  const chance = random.pick(usual)
  const place = places[named ?? chance] ?? places['meadow']
  const sky = skies.find((each) => words.some((word) => each.words.test(word)))
  const base = place ?? { sky: ['#a5dcff', '#eefaff'], land: ['#8fce6a', '#4f9a3f'], shape: 'hills' }
  const isNight = sky?.isNight === true || named === 'space'
  return { ...base, shape: base.shape, sky: sky?.sky ?? base.sky, isNight }
}
