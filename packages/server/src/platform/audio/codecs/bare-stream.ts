/** Streams that are nothing but frames: MPEG audio, ADTS and AC-3, also where something else surrounds them. */
import type { Effort } from '../audio-length.ts'
import { walkAdtsFrames } from './aac.ts'
import { walkAc3Frames } from './ac3.ts'
import { walkMpegFile, walkMpegFrames } from './mpeg-audio.ts'
import { BYTES_PER_SECOND_LEAST } from './packet-clock.ts'
import { isStream, type WalkedFrames } from './walk-frames.ts'

/** Decoders are sure of a stream that begins with so many frames. Source: the probes of ffmpeg's demuxers. */
const CERTAIN_RUN = 7

/** Whether bytes are a file, or what a container holds. */
export type Place = 'file' | 'container'

/** The streams that some bytes hold. */
export function streamsIn(bytes: Buffer, place: Place, effort: Effort): readonly WalkedFrames[] {
  const walks = [place === 'file' ? walkMpegFile : walkMpegFrames, walkAdtsFrames, walkAc3Frames]
  return walks.map((walk) => walk(bytes, effort)).filter(isStream)
}

/**
 * Seconds of some bytes as a bare stream; null where they are none. Unless they begin with a row of frames, decoders
 * may take them for something else, so that the bytes between the frames count as audio, too.
 */
export function bareSeconds(bytes: Buffer, place: Place, effort: Effort): number | null {
  const seconds = streamsIn(bytes, place, effort).map((walked) => {
    const between = isCertain(bytes, walked) ? 0 : walked.stray / BYTES_PER_SECOND_LEAST
    return walked.seconds + between
  })
  return seconds.length === 0 ? null : Math.max(...seconds)
}

/** Zeros before the first frame are skipped by decoders. */
function isCertain(bytes: Buffer, { first, firstRun }: WalkedFrames): boolean {
  return firstRun >= CERTAIN_RUN && bytes.subarray(0, first).every((byte) => byte === 0)
}
