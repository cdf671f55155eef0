/**
 * How much of a piece of work was delivered when it broke off, where it is not counted: from what is usual of speech.
 * Source: own choice, stated in docs/money.md.
 */

/** Characters that are spoken in a second, at ordinary speed. */
const CHARACTERS_PER_SECOND = 15

/** Bytes of a second of audio as speech models make it. Raw samples are exact at 24,000 a second; a WAV holds them. */
const BYTES_PER_SECOND: Readonly<Record<string, number>> = {
  pcm: 48_000,
  wav: 48_000,
  flac: 24_000,
  mp3: 16_000,
  aac: 16_000,
  opus: 4_000,
}

/**
 * The part of a text that was spoken, in its own units, rounded up; at most all of it, at least one.
 *
 * @param audio.speed 1 is ordinary.
 */
export function spokenUnits(
  units: number,
  audio: { readonly format: string; readonly bytes: number; readonly speed: number },
): number {
  const seconds = audio.bytes / (BYTES_PER_SECOND[audio.format] ?? Number.POSITIVE_INFINITY)
  return Math.max(1, Math.min(units, Math.ceil(seconds * CHARACTERS_PER_SECOND * audio.speed)))
}

/** Whole seconds of audio that a text is the transcript of; at most all of them, at least one. */
export function transcribedSeconds(seconds: number, text: string): number {
  return Math.max(1, Math.min(seconds, Math.ceil(text.length / CHARACTERS_PER_SECOND)))
}
