/** A word and when it is said, in seconds. */
export interface SpokenWord {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** A part of the audio between two pauses, in seconds. */
export interface Segment {
  readonly start: number
  readonly end: number
  readonly words: readonly SpokenWord[]
}

/** What was heard. */
export interface Transcript {
  /** Length of the audio in seconds. */
  readonly duration: number
  readonly segments: readonly Segment[]
}

/** Audio to read. */
export interface ListenJob {
  readonly kind: 'listen'
  readonly file: Uint8Array
  /** Where what was learnt for reading is kept; null keeps nothing. */
  readonly cacheFolder: string | null
  /** Path of `pocketsphinx_batch`; null takes the recogniser that comes as a package. */
  readonly recogniser: string | null
}
