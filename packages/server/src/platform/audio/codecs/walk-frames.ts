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
  /** So many bytes have to be there of a frame to read it. */
  readonly headBytes: number
  /** Reads the header of a frame; null where there is none. */
  readonly read: (bytes: Buffer, at: number) => Frame | null
}

/** What a walk over frames has found. */
export interface WalkedFrames {
  readonly seconds: number
  /** Frames of the longest row of one kind without a gap. */
  readonly run: number
  /** The same without those that repeat the one before, as any wave with a period does. */
  readonly variedRun: number
  /** Frames of the row that the first frame begins. */
  readonly firstRun: number
  /** Where the first frame begins; -1 where there is none. */
  readonly first: number
  /** Where the last frame ends, which may be beyond the end. */
  readonly end: number
  /** Bytes that are no part of a frame. */
  readonly stray: number
}

/** So many frames in a row are no chance. */
export const RUN_LEAST = 3

/** Says whether a walk has found a stream, and not only bytes that look like headers. */
export function isStream({ run }: WalkedFrames): boolean {
  return run >= RUN_LEAST
}

/** Decoders look so far for two frames in a row to begin with. */
const BEGINNING_BYTES = 65_536

/**
 * Walks over the frames of a stream, also where something else is between them. Whether it is a stream at all, its
 * longest row of frames says. A frame that stands alone at the beginning hides no row that begins within it.
 */
export function walkFrames(bytes: Buffer, form: FrameForm, effort: Effort): WalkedFrames {
  const walked = walkFrom(bytes, 0, form, effort)
  const row = firstRow(bytes, form, effort)
  if (row < 0 || row === walked.first) return walked
  const later = walkFrom(bytes, row, form, effort)
  return later.seconds > walked.seconds ? later : walked
}

/** Where two frames of one kind follow each other for the first time; -1 where they do not near the beginning. */
function firstRow(bytes: Buffer, { marker, read }: FrameForm, effort: Effort): number {
  for (let at = bytes.indexOf(marker); at >= 0 && at < BEGINNING_BYTES; at = bytes.indexOf(marker, at + 1)) {
    effort.spend(1)
    const frame = read(bytes, at)
    if (frame !== null && read(bytes, at + frame.bytes)?.kind === frame.kind) return at
  }
  return -1
}

/**
 * Takes each frame that follows another or is followed by one of its kind, that ends the stream, or that a decoder
 * takes on its own: one of the same kind as the last, or behind nothing but zeros. Others look like a header by chance.
 */
function walkFrom(bytes: Buffer, start: number, { marker, read }: FrameForm, effort: Effort): WalkedFrames {
  let [seconds, first, row, run, firstRun, within, kind] = [0, -1, 0, 0, 0, 0, -1]
  let [varied, variedRun] = [0, 0]
  let [previousEnd, filled] = [start, firstOther(bytes, start)]
  for (let at = bytes.indexOf(marker, start); at >= 0 && at < bytes.length;) {
    effort.spend(1)
    const frame = read(bytes, at)
    const end = at + (frame?.bytes ?? 0)
    const isFrame =
      frame !== null &&
      (at <= filled || frame.kind === kind || end >= bytes.length || read(bytes, end)?.kind === frame.kind)
    if (!isFrame) {
      at = bytes.indexOf(marker, at + 1)
      continue
    }
    const isNext = at === previousEnd && frame.kind === kind
    row = isNext ? row + 1 : 1
    run = Math.max(run, row)
    varied = isNext ? varied + (repeats(bytes, at, end) ? 0 : 1) : 1
    variedRun = Math.max(variedRun, varied)
    if (first < 0) first = at
    if (firstRun === row - 1) firstRun = row
    seconds += frame.seconds
    within += Math.min(frame.bytes, bytes.length - at)
    kind = frame.kind
    at = previousEnd = end
    filled = firstOther(bytes, end)
  }
  return { seconds, run, variedRun, firstRun, first, end: previousEnd, stray: bytes.length - within }
}

/** Whether a frame has the bytes of as many before it. */
function repeats(bytes: Buffer, at: number, end: number): boolean {
  const start = 2 * at - end
  return start >= 0 && bytes.compare(bytes, start, at, at, Math.min(end, bytes.length)) === 0
}

/** The first byte from a place on that is not zero. */
function firstOther(bytes: Buffer, start: number): number {
  let at = start
  while (bytes[at] === 0) at++
  return at
}

/**
 * Seconds of the frames of packets. Decoders join packets before they look for frames: one may begin anywhere, end in a
 * later packet, and its head may be in two.
 */
export function packetSeconds(form: FrameForm, effort: Effort): (packet: Buffer) => number {
  let begun = Buffer.alloc(0)
  /** Bytes of a frame that are still to come. */
  let rest = 0
  return (packet) => {
    const bytes = begun.length === 0 ? packet : Buffer.concat([begun, packet])
    if (rest >= bytes.length) {
      rest -= bytes.length
      return 0
    }
    const { seconds, end } = walkFrom(bytes, rest, form, effort)
    rest = Math.max(end - bytes.length, 0)
    begun = Buffer.from(bytes.subarray(Math.max(end, bytes.length - form.headBytes + 1)))
    return seconds
  }
}
