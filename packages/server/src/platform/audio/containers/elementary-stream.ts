/** What the packets of MPEG transport and program streams carry, put together. Source: ISO/IEC 13818-1, section 2.4.3. */
import { type Effort, notAccepted } from '../audio-length.ts'
import { bareSeconds } from '../codecs/bare-stream.ts'
import { walkOpusUnits } from '../codecs/opus-clock.ts'
import { BYTES_PER_SECOND_LEAST } from '../codecs/packet-clock.ts'
import { isStream } from '../codecs/walk-frames.ts'

/** Where the content of a packet of an elementary stream begins. */
export function contentStart(bytes: Buffer, at: number): number {
  return at + 9 + (bytes[at + 8] ?? 0)
}

/** Of the elementary streams those of audio, and private ones, which AC-3 and others have. Source: table 2-22. */
export function isAudio(streamId: number): boolean {
  return (streamId >= 0xc0 && streamId <= 0xdf) || streamId === 0xbd || streamId === 0xfd
}

/** Seconds of the frames of a stream; null where it has none. */
export function streamSeconds(parts: readonly Buffer[], effort: Effort): number | null {
  const bytes = Buffer.concat(parts)
  effort.spend(1, bytes.length)
  const opus = walkOpusUnits(bytes, effort)
  const seconds = bareSeconds(bytes, 'container', effort)
  return isStream(opus) ? Math.max(opus.seconds, seconds ?? 0) : seconds
}

/**
 * Seconds of the longest of some streams of audio.
 *
 * @throws {RefusedAudioError} where one has no frames that are read here, and may be longer than the others.
 */
export function longestSeconds(streams: Iterable<readonly Buffer[]>, effort: Effort): number {
  let [longest, unread] = [0, 0]
  for (const parts of streams) {
    const seconds = streamSeconds(parts, effort)
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    if (seconds === null) unread = Math.max(unread, length / BYTES_PER_SECOND_LEAST)
    longest = Math.max(longest, seconds ?? 0)
  }
  if (unread > longest) throw notAccepted('A codec of its streams')
  return longest
}

/**
 * Bytes outside the packets of a stream are more than its heads: decoders may take the file for another one.
 *
 * @returns seconds of the whole as a bare stream; 0 where the packets account for it.
 */
export function outsideSeconds(bytes: Buffer, outside: number, effort: Effort): number {
  return outside > bytes.length / 16 ? (bareSeconds(bytes, 'file', effort) ?? bytes.length / BYTES_PER_SECOND_LEAST) : 0
}
