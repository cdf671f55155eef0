/**
 * Samples of a WAV that are called PCM and are another stream. ffmpeg looks at them and decodes what it finds, at
 * hundreds of times the length that the samples would have. Source: libavformat's WAV demuxer, its probe of 16-bit PCM.
 */
import { type Effort, RefusedAudioError } from '../audio-length.ts'
import { streamsIn } from './bare-stream.ts'
import { RUN_LEAST } from './walk-frames.ts'

/** As far as decoders look into samples, with room: 32 packets. */
const LOOKED_AT_BYTES = 4_194_304

/** Words that begin frames whose length is not read here: DTS in its four forms, TrueHD, and IEC 61937 in both orders. */
const WORDS = ['7ffe8001', 'fe7f0180', '1fffe800', 'ff1f00e8', 'f8726fba', '72f81f4e', 'f8724e1f'].map((word) =>
  Buffer.from(word, 'hex'),
)
/** By chance a word of four bytes stands in a file of the largest size once in 160. */
const WORDS_MOST = 3

/**
 * Seconds of a stream in the place of samples; 0 where there is none.
 *
 * @throws {RefusedAudioError} for a stream that is not read here.
 */
export function disguisedSeconds(samples: Buffer, effort: Effort): number {
  const beginning = samples.subarray(0, LOOKED_AT_BYTES)
  effort.spend(1, beginning.length)
  if (WORDS.some((word) => count(beginning, word) > WORDS_MOST) || hasLoas(beginning, effort)) {
    throw new RefusedAudioError('Its samples are said to be PCM, and are a stream of another codec.')
  }
  if (!streamsIn(beginning, 'container', effort).some(({ variedRun }) => variedRun >= RUN_LEAST)) return 0
  return Math.max(...streamsIn(samples, 'container', effort).map(({ seconds }) => seconds))
}

function count(bytes: Buffer, word: Buffer): number {
  let found = 0
  for (let at = bytes.indexOf(word); at >= 0 && found <= WORDS_MOST; at = bytes.indexOf(word, at + 4)) found++
  return found
}

const LOAS_RUN = 3

/** AAC in LOAS: a sync word of eleven bits, then thirteen of length. Source: ISO/IEC 14496-3, section 1.7.2. */
function hasLoas(bytes: Buffer, effort: Effort): boolean {
  const lengthAt = (at: number): number => {
    if (at + 3 > bytes.length || bytes[at] !== 0x56 || ((bytes[at + 1] ?? 0) & 0xe0) !== 0xe0) return 0
    return (bytes.readUInt16BE(at + 1) & 0x1fff) + 3
  }
  for (let start = bytes.indexOf(0x56); start >= 0; start = bytes.indexOf(0x56, start + 1)) {
    effort.spend(1)
    let at = start
    let run = 0
    for (let length = lengthAt(at); length > 3 && run <= LOAS_RUN; length = lengthAt(at)) {
      at += length
      run++
    }
    if (run > LOAS_RUN) return true
  }
  return false
}
