import type { SoundBytes } from './measure-duration.ts'
import type { SoundLength } from './sound-length.ts'

/** One sound to measure, as it travels to the worker. */
export interface DurationJob {
  readonly sound: SoundBytes
  readonly byteLength: number
}

/** What the worker found. */
export interface DurationResult {
  readonly length: SoundLength
}
