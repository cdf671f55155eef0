/** AAC: its configuration in containers, and its frames in a bare stream. */
import { type Effort, RefusedAudioError } from '../audio-length.ts'
import { boundedSamples } from './bounded-rate.ts'
import { AAC_FRAME_BITS_MOST, type PacketClock } from './packet-clock.ts'
import { type Frame, walkFrames, type WalkedFrames } from './walk-frames.ts'

/** Source: ISO/IEC 14496-3, table 1.18. */
const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350]
const RATE_MOST = 96_000
/** Channels by configuration. Source: ISO/IEC 14496-3, table 1.19. */
const CHANNELS = [2, 1, 2, 3, 4, 5, 6, 8]

const FRAME_SAMPLES = 1_024
const SHORT_FRAME_SAMPLES = 960
/** AAC-LD and AAC-ELD halve the frame. */
const LOW_DELAY_TYPES: ReadonlySet<number> = new Set([23, 39])

/**
 * Channels that count for the most bytes of a frame. A decoder takes frames of one channel whatever the configuration
 * says, so that a claim of eight must not make room for eight times as many. Surround audio is below it up to 576 kbit/s.
 */
const CHANNELS_BELIEVED = 2

/** The most bytes of a frame. */
function frameBytesMost(channels: number): number {
  return (AAC_FRAME_BITS_MOST / 8) * Math.min(channels, CHANNELS_BELIEVED)
}

/** A clock for packets of one frame each, or of as many as their bytes must be. */
export function aacClock(rate: number, channels: number, frameSamples = FRAME_SAMPLES): PacketClock {
  const bounded = boundedSamples(rate, channels, RATE_MOST)
  const framesPerSecond = bounded.rate / frameSamples
  const bytesMost = frameBytesMost(bounded.channels)
  return {
    secondsOf: ({ length }) => Math.max(1, length / bytesMost) / framesPerSecond,
    bytesPerSecondMost: bytesMost * framesPerSecond,
  }
}

/** Reads an `AudioSpecificConfig`. Source: ISO/IEC 14496-3, section 1.6.2.1. @returns null when there is none. */
export function readAacConfig(config: Buffer): PacketClock | null {
  if (config.length < 2) return null
  let at = 0
  const read = (count: number): number => {
    let value = 0
    for (let bit = 0; bit < count; bit++, at++) value = value * 2 + (((config[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
    return value
  }
  const five = read(5)
  const type = five === 31 ? 32 + read(6) : five
  const index = read(4)
  const rate = index === 15 ? read(24) : RATES[index]
  if (rate === undefined) throw new RefusedAudioError('Its configuration of AAC names no sample rate.')
  const channels = CHANNELS[read(4)] ?? 2
  // A frame of a doubled rate has twice the samples: the time is that of the core.
  const isExtended = type === 5 || type === 29
  if (isExtended && read(4) === 15) read(24)
  const core = isExtended ? read(5) : type
  const isShort = read(1) === 1
  const samples = isShort ? SHORT_FRAME_SAMPLES : FRAME_SAMPLES
  return aacClock(rate, channels, LOW_DELAY_TYPES.has(core) ? samples / 2 : samples)
}

/** Walks over ADTS frames. Source: ISO/IEC 13818-7, section 6.2. */
export function walkAdtsFrames(bytes: Buffer, effort: Effort): WalkedFrames {
  return walkFrames(bytes, { marker: 0xff, headBytes: 7, read: readAdtsFrame }, effort)
}

function readAdtsFrame(bytes: Buffer, at: number): Frame | null {
  if (at + 7 > bytes.length || bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0) return null
  const rate = RATES[((bytes[at + 2] ?? 0) >> 2) & 15]
  const length = (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff
  if (rate === undefined || length < 7) return null
  const blocks = ((bytes[at + 6] ?? 0) & 3) + 1
  const channels = CHANNELS[(((bytes[at + 2] ?? 0) & 1) << 2) | ((bytes[at + 3] ?? 0) >> 6)] ?? 2
  const byBytes = length / frameBytesMost(channels)
  return { bytes: length, seconds: (Math.max(blocks, byBytes) * FRAME_SAMPLES) / rate, kind: rate }
}
