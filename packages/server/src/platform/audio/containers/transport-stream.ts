/**
 * MPEG transport and program streams: what a stream of audio carries is put together and read as a bare one.
 * Source: ISO/IEC 13818-1, sections 2.4.3 and 2.5.3.
 */
import { walkAdtsFrames } from '../codecs/aac.ts'
import { walkAc3Frames } from '../codecs/ac3.ts'
import { walkMpegFrames } from '../codecs/mpeg-audio.ts'
import { BYTES_PER_SECOND_UNKNOWN } from '../codecs/packet-clock.ts'
import { type Effort, noAudio } from '../audio-length.ts'

const SYNC = 0x47
/** Bytes of a packet, and how many precede its sync byte: plain, with a time, with a checksum. */
const LAYOUTS = [
  [188, 0],
  [192, 4],
  [204, 0],
] as const

/** A frame or two of a walk over something else is chance. */
const FRAMES_LEAST = 3

/** Seconds of the longest of the bare streams. */
function longest(streams: Iterable<readonly Buffer[]>, effort: Effort): number {
  let seconds: number | null = null
  for (const parts of streams) {
    const bytes = Buffer.concat(parts)
    effort.spend(1, bytes.length)
    const walks = [walkMpegFrames, walkAdtsFrames, walkAc3Frames].map((walk) => walk(bytes, effort))
    const found = walks.filter(({ frames }) => frames >= FRAMES_LEAST).map((walk) => walk.seconds)
    // For a codec that is not read here, the bytes decide.
    const own = found.length > 0 ? Math.max(...found) : bytes.length / BYTES_PER_SECOND_UNKNOWN
    seconds = Math.max(seconds ?? 0, own)
  }
  if (seconds === null) throw noAudio()
  return seconds
}

/** Of the elementary streams those of audio, and private ones, which AC-3 and others have. Source: table 2-22. */
function isAudio(streamId: number): boolean {
  return (streamId >= 0xc0 && streamId <= 0xdf) || streamId === 0xbd || streamId === 0xfd
}

/** Where the content of a packet of an elementary stream begins. */
function contentStart(bytes: Buffer, at: number): number {
  return at + 9 + (bytes[at + 8] ?? 0)
}

/** Seconds of a transport stream; null for any other file. */
export function measureTransportStream(bytes: Buffer, effort: Effort): number | null {
  const layout = LAYOUTS.find(([length, lead]) => [0, 1, 2, 3].every((index) => bytes[lead + index * length] === SYNC))
  if (layout === undefined) return null
  const [length, lead] = layout
  const streams = new Map<number, Buffer[] | null>()
  for (let at = lead; at + 188 <= bytes.length; at += length) {
    effort.spend(1)
    if (bytes[at] !== SYNC) {
      const next = bytes.indexOf(SYNC, at)
      if (next < 0) break
      at = next - length
      continue
    }
    const id = bytes.readUInt16BE(at + 1) & 0x1fff
    const control = ((bytes[at + 3] ?? 0) >> 4) & 3
    const start = at + 4 + (control & 2 ? 1 + (bytes[at + 4] ?? 0) : 0)
    if ((control & 1) === 0 || start >= at + 188) continue
    const isFirst = ((bytes[at + 1] ?? 0) & 0x40) !== 0
    const isPacket = isFirst && start + 9 <= at + 188 && bytes.readUIntBE(start, 3) === 1
    if (isPacket && !streams.has(id)) streams.set(id, isAudio(bytes[start + 3] ?? 0) ? [] : null)
    streams.get(id)?.push(bytes.subarray(isPacket ? contentStart(bytes, start) : start, at + 188))
  }
  return longest(
    [...streams.values()].filter((parts) => parts !== null),
    effort,
  )
}

const PACK = 0xba
const PRIVATE_HEAD = 4

/** Seconds of a program stream; null for any other file. */
export function measureProgramStream(bytes: Buffer, effort: Effort): number | null {
  if (bytes.length < 16 || bytes.readUInt32BE(0) !== 0x1_00 + PACK) return null
  const streams = new Map<number, Buffer[]>()
  for (let at = 0; at + 9 <= bytes.length;) {
    effort.spend(1)
    const id = bytes[at + 3] ?? 0
    if (bytes.readUIntBE(at, 3) !== 1 || id < PACK - 1) {
      at = bytes.indexOf(Buffer.from([0, 0, 1]), at + 1)
      if (at < 0) break
      continue
    }
    if (id === PACK) {
      at += (bytes[at + 4] ?? 0) >> 6 === 1 ? 14 + ((bytes[at + 13] ?? 0) & 7) : 12
      continue
    }
    const end = at + 6 + bytes.readUInt16BE(at + 4)
    if (isAudio(id)) {
      const isSecond = (bytes[at + 6] ?? 0) >> 6 === 2
      const start = isSecond ? contentStart(bytes, at) + (id === 0xbd ? PRIVATE_HEAD : 0) : at + 6
      const parts = streams.get(id) ?? []
      parts.push(bytes.subarray(start, end))
      streams.set(id, parts)
    }
    at = end
  }
  return longest(streams.values(), effort)
}
