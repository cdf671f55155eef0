import type { SoundBytes } from './measure-duration.ts'

/** One sound to measure, as it travels to the worker. */
export interface DurationJob {
  readonly sound: SoundBytes
  readonly byteLength: number
}

/** What the worker found; null for what is no sound. */
export interface DurationResult {
  readonly seconds: number | null
}
