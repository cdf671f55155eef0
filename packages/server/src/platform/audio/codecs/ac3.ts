/** AC-3 and Enhanced AC-3: frames with a sync word. Source: ETSI TS 102 366, sections 4.4.1 and E.1.3.1. */
import type { Effort } from '../audio-length.ts'
import type { PacketClock } from './packet-clock.ts'
import { type Frame, type FrameForm, packetSeconds, walkFrames, type WalkedFrames } from './walk-frames.ts'

const RATES = [48_000, 44_100, 32_000]
const KILOBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]
const BLOCK_SAMPLES = 256
const BLOCKS = [1, 2, 3, 6]

/** Reads a frame; null where there is none. A dependent one of an enhanced stream sounds with the one before. */
function readAc3Frame(bytes: Buffer, at: number): Frame | null {
  if (at + 6 > bytes.length || bytes.readUInt16BE(at) !== 0x0b77) return null
  const fourth = bytes[at + 4] ?? 0
  const stream = (bytes[at + 5] ?? 0) >> 3
  const rate = RATES[fourth >> 6]
  if (stream > 16) return null
  if (stream > 10) {
    const length = ((bytes.readUInt16BE(at + 2) & 0x7ff) + 1) * 2
    const low = RATES[(fourth >> 4) & 3]
    const samples = (rate === undefined ? 6 : (BLOCKS[(fourth >> 4) & 3] ?? 6)) * BLOCK_SAMPLES
    const perSecond = rate ?? (low === undefined ? undefined : low / 2)
    const isDependent = (bytes[at + 2] ?? 0) >> 6 === 1
    const seconds = perSecond === undefined || isDependent ? 0 : samples / perSecond
    return perSecond === undefined ? null : { bytes: length, seconds, kind: perSecond }
  }
  const kilobits = KILOBITS[(fourth & 63) >> 1]
  if (rate === undefined || kilobits === undefined) return null
  const words = Math.floor((kilobits * 1_000 * 6 * BLOCK_SAMPLES) / rate / 16) + (rate === 44_100 ? fourth & 1 : 0)
  return { bytes: words * 2, seconds: (6 * BLOCK_SAMPLES) / rate, kind: rate }
}

const FORM: FrameForm = { marker: 0x0b, headBytes: 6, read: readAc3Frame }

/** Walks over the frames of a stream. */
export function walkAc3Frames(bytes: Buffer, effort: Effort): WalkedFrames {
  return walkFrames(bytes, FORM, effort)
}

/** AC-3 inside a container: a packet may hold several frames. */
export function ac3Clock(effort: Effort): PacketClock {
  return {
    secondsOf: packetSeconds(FORM, effort),
    // Enhanced AC-3 has 6,144 kbit/s at most.
    bytesPerSecondMost: 768_000,
  }
}
