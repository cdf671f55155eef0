import type { Effort } from '../audio-length.ts'

/** One frame of a bare stream. */
export interface Frame {
  readonly bytes: number
  readonly seconds: number
  /** What stays the same from frame to frame of one stream. */
  readonly kind: number
}

/** How the frames of a codec are found. */
export interface FrameForm {
  /** The first byte of each. */
  readonly marker: number
  /** Reads the header of a frame; null where there is none. */
  readonly read: (bytes: Buffer, at: number) => Frame | null
}

/** What a walk over frames has found. */
export interface WalkedFrames {
  readonly seconds: number
  readonly frames: number
  /** Where the first frame begins; -1 where there is none. */
  readonly first: number
}

/**
 * Walks over the frames of a stream, also where something else is between them. A frame counts that follows another or
 * is followed by one, or that ends the stream: elsewhere some bytes look like a header by chance.
 */
export function walkFrames(bytes: Buffer, { marker, read }: FrameForm, effort: Effort): WalkedFrames {
  let [seconds, frames, first, previousEnd] = [0, 0, -1, -1]
  for (let at = bytes.indexOf(marker); at >= 0 && at < bytes.length;) {
    effort.spend(1)
    const frame = read(bytes, at)
    const end = at + (frame?.bytes ?? 0)
    const isFrame =
      frame !== null && (at === previousEnd || end >= bytes.length || read(bytes, end)?.kind === frame.kind)
    if (!isFrame) {
      at = bytes.indexOf(marker, at + 1)
      continue
    }
    seconds += frame.seconds
    frames++
    if (first < 0) first = at
    at = previousEnd = end
  }
  return { seconds, frames, first }
}

/** Seconds of the frames of one packet, which follow each other from its beginning. */
export function packetSeconds(packet: Buffer, { read }: FrameForm, effort: Effort): number {
  let seconds = 0
  let at = 0
  for (let frame = read(packet, at); frame !== null; frame = read(packet, at)) {
    effort.spend(1)
    seconds += frame.seconds
    at += frame.bytes
  }
  return seconds
}
