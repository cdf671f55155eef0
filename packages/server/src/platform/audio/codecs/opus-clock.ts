import type { Effort } from '../audio-length.ts'
import { BYTES_PER_SECOND_MOST, type PacketClock } from './packet-clock.ts'
import { type Frame, walkFrames, type WalkedFrames } from './walk-frames.ts'

/** Samples of a frame at 48 kHz, by the configuration in the packet's first byte. Source: RFC 6716, table 2. */
function frameSamples(configuration: number): number {
  if (configuration < 12) return [480, 960, 1_920, 2_880][configuration & 3] ?? 0
  if (configuration < 16) return (configuration & 1) === 0 ? 480 : 960
  return [120, 240, 480, 960][configuration & 3] ?? 0
}

export const OPUS_RATE = 48_000
/** A packet holds 120 ms at most. Source: RFC 6716, section 3.2.5. */
const PACKET_SAMPLES_MAX = 5_760

function packetSamples(packet: Buffer): number {
  const first = packet[0]
  if (first === undefined) return 0
  const code = first & 3
  const frames = code === 0 ? 1 : code < 3 ? 2 : (packet[1] ?? 0) & 63
  return Math.min(frames * frameSamples(first >> 3), PACKET_SAMPLES_MAX)
}

/** Opus, whose packets say themselves how long they are. */
export function opusClock(channels: number): PacketClock {
  return {
    secondsOf: (packet) => packetSamples(packet) / OPUS_RATE,
    bytesPerSecondMost: BYTES_PER_SECOND_MOST.opusPair * Math.ceil(Math.max(channels, 1) / 2),
  }
}

/**
 * One packet as transport streams carry it: eleven bits that begin it, then what follows, its length, and what is to be
 * left out. Source: ETSI TS 103 590 and "Opus in MPEG-TS" of Xiph, the control header.
 */
function readOpusUnit(bytes: Buffer, at: number): Frame | null {
  const flags = bytes[at + 1] ?? 0
  if (bytes[at] !== 0x7f || (flags & 0xe0) !== 0xe0) return null
  let start = at + 2
  let length = 0
  let part: number
  do {
    part = bytes[start++] ?? 0
    length += part
  } while (part === 255)
  start += (flags & 0x10 ? 2 : 0) + (flags & 0x08 ? 2 : 0)
  if (flags & 0x04) start += 1 + (bytes[start] ?? 0)
  if (length === 0 || start >= bytes.length) return null
  const seconds = packetSamples(bytes.subarray(start, start + length)) / OPUS_RATE
  return { bytes: start + length - at, seconds, kind: 0 }
}

/** Walks over the packets of Opus in a transport stream. */
export function walkOpusUnits(bytes: Buffer, effort: Effort): WalkedFrames {
  return walkFrames(bytes, { marker: 0x7f, headBytes: 3, read: readOpusUnit }, effort)
}
