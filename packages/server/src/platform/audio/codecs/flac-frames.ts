/** Frames of FLAC: they do not say how many bytes they have, so that all bytes are looked at. Source: RFC 9639. */
import type { Effort } from '../audio-length.ts'
import { boundedSamples } from './bounded-rate.ts'
import { BYTES_PER_SECOND_MOST, type PacketClock } from './packet-clock.ts'

/** The checksum of a frame's header: polynomial x⁸ + x² + x + 1. */
const CHECKSUMS = Uint8Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 0x80 ? ((value << 1) ^ 0x07) & 0xff : value << 1
  return value
})

const RATES = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]
const SIZES = [0, 192, 576, 1_152, 2_304, 4_608, 0, 0, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768]

interface FrameHeader {
  readonly bytes: number
  readonly samples: number
  /** 0: that of the stream. */
  readonly rate: number
}

/** Bytes of a number in the coding of RFC 9639, section 9.1.5; 0 for what is none. */
function codedBytes(first: number): number {
  if (first < 0x80) return 1
  for (let bytes = 2; bytes <= 7; bytes++) if (first >> (7 - bytes) === (1 << (bytes + 1)) - 2) return bytes
  return 0
}

function readHeader(bytes: Buffer, at: number): FrameHeader | null {
  const [second, third, fourth] = [bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, bytes[at + 3] ?? 0]
  const [size, rate] = [third >> 4, third & 15]
  if ((second & 0xfe) !== 0xf8 || size === 0 || rate === 15 || fourth >> 4 > 10 || (fourth & 1) === 1) return null
  const coded = codedBytes(bytes[at + 4] ?? 0)
  const sizeBytes = size === 6 ? 1 : size === 7 ? 2 : 0
  const rateBytes = rate === 12 ? 1 : rate > 12 ? 2 : 0
  const end = at + 4 + coded + sizeBytes + rateBytes
  if (coded === 0 || end >= bytes.length) return null
  let checksum = 0
  for (let index = at; index < end; index++) checksum = CHECKSUMS[checksum ^ (bytes[index] ?? 0)] ?? 0
  if (checksum !== bytes[end]) return null
  const samples = sizeBytes === 0 ? (SIZES[size] ?? 0) : bytes.readUIntBE(at + 4 + coded, sizeBytes) + 1
  const own = rateBytes === 0 ? (RATES[rate] ?? 0) : bytes.readUIntBE(end - rateBytes, rateBytes)
  return { bytes: end + 1 - at, samples, rate: own * (rate === 12 ? 1_000 : rate === 14 ? 10 : 1) }
}

/** Seconds of all the frames in some bytes. */
export function flacSeconds(bytes: Buffer, streamRate: number, effort: Effort): number {
  effort.spend(1, bytes.length)
  let seconds = 0
  let at = bytes.indexOf(0xff)
  while (at >= 0) {
    const frame = readHeader(bytes, at)
    // Where a frame says another rate than its stream, the slower one is heard by some listeners.
    const rate = frame === null ? 0 : frame.rate === 0 ? streamRate : Math.min(frame.rate, streamRate)
    if (frame !== null && rate > 0) seconds += frame.samples / rate
    at = bytes.indexOf(0xff, at + (frame?.bytes ?? 1))
  }
  return seconds
}

/** FLAC inside a container. @param info the block STREAMINFO, without its header. @returns null when it is none. */
export function flacClock(info: Buffer, effort: Effort): PacketClock | null {
  if (info.length < 14) return null
  const word = info.readUIntBE(10, 4)
  const { rate } = boundedSamples(word >>> 12, ((word >>> 9) & 7) + 1)
  return {
    secondsOf: (packet) => flacSeconds(packet, rate, effort),
    bytesPerSecondMost: BYTES_PER_SECOND_MOST.samples,
  }
}

/** A file of FLAC: `fLaC`, blocks of metadata, then frames. @returns null for any other. */
export function measureFlac(bytes: Buffer, effort: Effort): number | null {
  if (bytes.toString('latin1', 0, 4) !== 'fLaC' || bytes.length < 42) return null
  const clock = flacClock(bytes.subarray(8, 42), effort)
  let at = 4
  let isLast = false
  while (!isLast && at + 4 <= bytes.length) {
    effort.spend(1)
    isLast = (bytes[at] ?? 0) >= 0x80
    at += 4 + bytes.readUIntBE(at + 1, 3)
  }
  const audio = bytes.subarray(at)
  if (clock === null) return null
  return Math.max(clock.secondsOf(audio), audio.length / clock.bytesPerSecondMost)
}
