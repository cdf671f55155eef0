/** How many tokens the audio of a prompt has at most: models count it by its length, which its bytes do not say. */
import type { AudioLength } from '../../platform/audio/audio-length.ts'
import { BYTES_PER_SECOND_LEAST } from '../../platform/audio/codecs/packet-clock.ts'
import type { ListeningDeps } from '../../pipeline/paid-work.ts'
import { measuringIsBusy } from '../../pipeline/measuring-is-busy.ts'
import { AUDIO_TOKENS_PER_SECOND } from '../../pricing/prompt-bound.ts'

/** So many audio files of one request are measured; each may take the time of a long one. Source: own choice. */
const MEASURED_MAX = 64

/** The bytes of a base64 text; null for any other, such as an address, or one that readers may read in two ways. */
function bytesOf(text: string): Buffer | null {
  const base64 = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  const bytes = Buffer.from(base64, 'base64')
  const digits = base64.replace(/={1,2}$/, '').length
  return bytes.length > 0 && bytes.length === Math.floor((digits * 3) / 4) ? bytes : null
}

/** Seconds at most; null where two readers may hear audio of different lengths. @throws {ServiceError} 503. */
function secondsOf(length: AudioLength, byteLength: number): number | null {
  switch (length.kind) {
    case 'measured':
      return length.seconds
    case 'unknown':
      return byteLength / BYTES_PER_SECOND_LEAST
    case 'refused':
      return null
    case 'busy':
      throw measuringIsBusy()
  }
}

/**
 * Bounds the tokens of audio as it is heard, whatever its request calls it. Source: decisions 0005 (size of a hold) and
 * 0087 (the length of audio).
 *
 * @param audios base64 texts.
 * @returns undefined where the length of one of them cannot be known, or they are too many.
 * @throws {ServiceError} 503 while too many audio files wait to be measured.
 */
export async function boundAudioTokens(
  { measureAudio }: ListeningDeps,
  audios: readonly string[],
): Promise<number | undefined> {
  if (audios.length > MEASURED_MAX) return undefined
  let tokens = 0
  for (const text of audios) {
    const bytes = bytesOf(text)
    if (bytes === null) return undefined
    const audio = { bytes: { kind: 'memory', bytes }, byteLength: bytes.length } as const
    const seconds = secondsOf(await measureAudio(audio), bytes.length)
    if (seconds === null) return undefined
    tokens += Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND) + 1
  }
  return tokens
}
