/** AMR, narrow and wide band: frames of 20 ms whose first byte tells their length. */
import type { Effort } from '../audio-length.ts'
import type { PacketClock } from './packet-clock.ts'

const FRAME_SECONDS = 0.02

/** Bytes of a frame by its type, the first byte included. Source: RFC 4867, section 5.3, with tables of TS 26.101/26.201. */
const FRAME_BYTES = {
  narrow: [13, 14, 16, 18, 20, 21, 27, 32, 6, 1, 1, 1, 1, 1, 1, 1],
  wide: [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1],
} as const

export type AmrBand = keyof typeof FRAME_BYTES

/** Seconds of frames that follow each other. */
export function amrSeconds(bytes: Buffer, band: AmrBand, effort: Effort): number {
  let frames = 0
  for (let at = 0; at < bytes.length; frames++) {
    effort.spend(1)
    at += FRAME_BYTES[band][((bytes[at] ?? 0) >> 3) & 15] ?? 1
  }
  return frames * FRAME_SECONDS
}

/** AMR inside a container: a packet may hold several frames. */
export function amrClock(band: AmrBand, effort: Effort): PacketClock {
  // A frame is 61 bytes at most, 20 ms.
  return { secondsOf: (packet) => amrSeconds(packet, band, effort), bytesPerSecondMost: 3_050 }
}

const MAGICS: readonly (readonly [string, AmrBand])[] = [
  ['#!AMR\n', 'narrow'],
  ['#!AMR-WB\n', 'wide'],
]

/** Seconds of a file of AMR; null for any other. */
export function measureAmr(bytes: Buffer, effort: Effort): number | null {
  const start = bytes.toString('latin1', 0, 9)
  const found = MAGICS.find(([magic]) => start.startsWith(magic))
  return found === undefined ? null : amrSeconds(bytes.subarray(found[0].length), found[1], effort)
}
