import type { AudioBytes } from './measure-duration.ts'
import type { AudioLength } from './audio-length.ts'

/** One audio file to measure, as it travels to the worker. */
export interface DurationJob {
  readonly audio: AudioBytes
  readonly byteLength: number
}

/** What the worker found. */
export interface DurationResult {
  readonly length: AudioLength
}
