import { readSync } from 'node:fs'
import { measureAmr } from './codecs/amr.ts'
import { bareSeconds } from './codecs/bare-stream.ts'
import { measureFlac } from './codecs/flac-frames.ts'
import { measureAiff, measureAu } from './containers/aiff.ts'
import { measureCaf } from './containers/caf.ts'
import { refuseForeign } from './containers/foreign.ts'
import { measureMatroska } from './containers/matroska.ts'
import { measureMp4 } from './containers/mp4.ts'
import { measureOgg } from './containers/ogg.ts'
import { measureWav, measureWave64 } from './containers/riff.ts'
import { measureProgramStream } from './containers/program-stream.ts'
import { measureTransportStream } from './containers/transport-stream.ts'
import { Effort, RefusedAudioError, type AudioLength } from './audio-length.ts'

/** Audio to measure: small files in memory, others by the number of their open file. */
export type AudioBytes =
  | { readonly kind: 'memory'; readonly bytes: Uint8Array }
  | { readonly kind: 'disk'; readonly fd: number }

/** A reader of one kind of file: seconds, or null for a file of another kind. */
type Measure = (bytes: Buffer, effort: Effort) => number | null

/** Kinds that are known by how they begin. */
const CONTAINERS: readonly Measure[] = [
  ...[measureWav, measureWave64, measureOgg, measureMp4, measureMatroska, measureFlac, measureAiff, measureCaf],
  ...[measureAmr, measureAu, measureProgramStream, measureTransportStream],
]

function readWhole(audio: AudioBytes, byteLength: number): Buffer {
  if (audio.kind === 'memory') return Buffer.from(audio.bytes.buffer, audio.bytes.byteOffset, audio.bytes.byteLength)
  const bytes = Buffer.alloc(byteLength)
  let at = 0
  while (at < byteLength) {
    const read = readSync(audio.fd, bytes, at, byteLength - at, at)
    if (read === 0) break
    at += read
  }
  return bytes.subarray(0, at)
}

/** Skips texts and images before an audio file: ID3v2 tags, one or several in a row. Source: id3.org, ID3v2.4. */
function behindTags(bytes: Buffer, effort: Effort): Buffer {
  let at = 0
  while (bytes.toString('latin1', at, at + 3) === 'ID3' && at + 10 <= bytes.length) {
    effort.spend(1)
    const parts = [...bytes.subarray(at + 6, at + 10)]
    // What decoders do not take for a tag is heard.
    if (bytes[at + 3] === 0xff || bytes[at + 4] === 0xff || parts.some((part) => part > 0x7f)) break
    const length = parts.reduce((sum, part) => sum * 128 + part, 0)
    at += 10 + length + ((bytes[at + 5] ?? 0) & 0x10 ? 10 : 0)
  }
  return bytes.subarray(at)
}

function secondsOf(bytes: Buffer, effort: Effort): number | null {
  refuseForeign(bytes)
  for (const measure of CONTAINERS) {
    const seconds = measure(bytes, effort)
    if (seconds !== null) return seconds
  }
  return bareSeconds(bytes, 'file', effort)
}

/**
 * Measures how long an audio file lasts for a decoder: from its samples, packets and frames, and never from what a header
 * says of the whole. Bytes that are there are never less time than they can be at the highest bit rate of their codec.
 *
 * Where a header can be read in two ways, the audio is refused. A length that a writer did not know is that of the
 * bytes that are there. Source: decision 0087 (audio is measured as decoders read it).
 */
export function measureDuration(audio: AudioBytes, byteLength: number): AudioLength {
  const effort = new Effort()
  try {
    const seconds = secondsOf(behindTags(readWhole(audio, byteLength), effort), effort)
    return seconds !== null && Number.isFinite(seconds) && seconds > 0
      ? { kind: 'measured', seconds }
      : { kind: 'unknown' }
  } catch (error) {
    if (error instanceof RefusedAudioError) return { kind: 'refused', reason: error.message }
    // A table that ends too early, or the like.
    if (error instanceof RangeError) return { kind: 'refused', reason: 'It is cut off or damaged.' }
    throw error
  }
}
