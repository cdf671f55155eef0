/** What is known of an audio file's length. */
export type AudioLength =
  /** As a decoder hears it, in seconds; above zero. */
  | { readonly kind: 'measured'; readonly seconds: number }
  /** It is of no kind that is known: its bytes have to decide. */
  | { readonly kind: 'unknown' }
  /** Two readers of the file could hear different things, or its header says what its format does not allow. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Too many audio files wait. */
  | { readonly kind: 'busy' }

/** An audio file that is not measured, with a sentence that its sender may read. */
export class RefusedAudioError extends Error {
  override readonly name = 'RefusedAudioError'
}

/** What services of transcription take. Source: the OpenAI API reference, "Create transcription". */
const ACCEPTED = 'flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm'

/** Of a file or a codec that is none of those that are measured. @param what names it, at the beginning of a sentence. */
export function notAccepted(what: string): RefusedAudioError {
  return new RefusedAudioError(`${what} is not supported: send ${ACCEPTED}.`)
}

/** Of a file whose kind is known. */
export function noAudio(): RefusedAudioError {
  return new RefusedAudioError('It has no audio that can be read.')
}

/** Steps that one audio file may take: packets, boxes and pages. Far above what a file of the largest size needs. */
const STEPS_MAX = 30_000_000

/** Bytes that may be looked at, however often a file points at the same ones. */
const LOOKED_AT_MAX = 512 * 1_048_576

/** What one look at an audio file may cost. Whatever loops takes from it, so that every look ends. */
export class Effort {
  #steps = STEPS_MAX
  #bytes = LOOKED_AT_MAX

  /** @throws {RefusedAudioError} when the look takes too long. */
  spend(steps: number, bytes = 0): void {
    this.#steps -= steps
    this.#bytes -= bytes
    if (this.#steps < 0 || this.#bytes < 0) throw new RefusedAudioError('It has more parts than can be measured.')
  }
}
