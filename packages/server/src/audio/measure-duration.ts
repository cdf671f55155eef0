import { readSync } from 'node:fs'
import type { Input, InputAudioTrack, Source } from 'mediabunny'

/** Sound to measure: small files in memory, others by the number of their open file. */
export type SoundBytes =
  | { readonly kind: 'memory'; readonly bytes: Uint8Array }
  | { readonly kind: 'disk'; readonly fd: number }

/** What the reader of a file keeps of it at most, in bytes. */
const CACHE_BYTES = 4 * 1_048_576

/**
 * The most bytes that a second of sound has, by codec: the highest bit rate that it is made with. A container that says
 * less time than that for its bytes is not believed, since its times decide the price and not the sound.
 * Source: RFC 6716 (Opus, 510 kbit/s); Xiph's encoder (Vorbis, 500 kbit/s); ISO/IEC 14496-3 practice (AAC, 512 kbit/s).
 */
const BYTES_PER_SECOND: Readonly<Record<string, number>> = { opus: 64_000, vorbis: 64_000, aac: 64_000, mp3: 40_000 }
/** The same where there are pictures, too: 10 Mbit/s. Source: own choice. */
const VIDEO_BYTES_PER_SECOND = 1_250_000
/** Bytes of one uncompressed sample at most. */
const SAMPLE_BYTES = 4

/**
 * The fewest bytes that a second of sound has: packets of silence, and uncompressed samples at a rate that no recorder
 * goes below. A broken header says days for a file of a minute, and would take a balance. Source: own choice; RFC 6716,
 * section 2.1.9 (silence of Opus is a packet in 400 ms).
 */
const LEAST_BYTES_PER_SECOND = { packets: 16, samples: 1_000 } as const

async function openSource(sound: SoundBytes, byteLength: number): Promise<Source> {
  const { BufferSource, CustomSource } = await import('mediabunny')
  if (sound.kind === 'memory') return new BufferSource(sound.bytes)
  return new CustomSource({
    getSize: () => byteLength,
    read: (start, end) => {
      const bytes = new Uint8Array(end - start)
      return bytes.subarray(0, readSync(sound.fd, bytes, 0, bytes.length, start))
    },
    maxCacheSize: CACHE_BYTES,
    // Reads far ahead: a file of frames is walked through from its beginning to its end.
    prefetchProfile: 'network',
  })
}

async function leastSeconds(input: Input, track: InputAudioTrack, byteLength: number): Promise<number> {
  if ((await input.getVideoTracks()).length > 0) return byteLength / VIDEO_BYTES_PER_SECOND
  const codec = await track.getCodec()
  const known = codec === null ? undefined : BYTES_PER_SECOND[codec]
  if (known !== undefined) return byteLength / known
  const [rate, channels] = await Promise.all([track.getSampleRate(), track.getNumberOfChannels()])
  return byteLength / (rate * channels * SAMPLE_BYTES)
}

async function mostSeconds(track: InputAudioTrack, byteLength: number): Promise<number> {
  const isPlain = (await track.getCodec())?.startsWith('pcm') === true
  return byteLength / (isPlain ? LEAST_BYTES_PER_SECOND.samples : LEAST_BYTES_PER_SECOND.packets)
}

/**
 * Measures how long a sound lasts.
 *
 * Frames that carry their own length are walked through, since what a header says of the whole can be wrong. Where the
 * container holds the times, they count, but not for less than the sound's bytes can be, and not for more.
 *
 * @returns seconds; null for a file that is no sound, or none that can be read.
 */
export async function measureDuration(sound: SoundBytes, byteLength: number): Promise<number | null> {
  const { ADTS, FLAC, Input, MATROSKA, MP3, MP4, MPEG_TS, OGG, QTFF, WAVE, WEBM } = await import('mediabunny')
  // Playlists are left out: they would be fetched.
  const formats = [MP4, QTFF, MATROSKA, WEBM, WAVE, OGG, FLAC, MP3, ADTS, MPEG_TS]
  const input = new Input({ formats, source: await openSource(sound, byteLength) })
  try {
    const format = await input.getFormat()
    const track = await input.getPrimaryAudioTrack()
    if (track === null) return null
    const seconds = await track.computeDuration()
    const isFramed = format === MP3 || format === ADTS
    const least = isFramed ? 0 : await leastSeconds(input, track, byteLength)
    const longest = Math.min(Math.max(seconds, least), await mostSeconds(track, byteLength))
    return Number.isFinite(longest) && longest > 0 ? longest : null
  } catch {
    return null
  } finally {
    input.dispose()
  }
}
