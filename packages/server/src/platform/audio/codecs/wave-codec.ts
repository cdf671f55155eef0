/** The codecs of a `WAVEFORMATEX`, as WAV files, W64 and Matroska have it. */
import { type Effort, notAccepted, RefusedAudioError } from '../audio-length.ts'
import { walkAc3Frames } from './ac3.ts'
import { walkAdtsFrames } from './aac.ts'
import { boundedSamples } from './bounded-rate.ts'
import { disguisedSeconds } from './disguised-stream.ts'
import { BYTES_PER_SECOND_MOST } from './packet-clock.ts'
import { walkMpegFrames } from './mpeg-audio.ts'

/** Tells how long the samples of a file last, given all of them in one piece. */
export type SampleMeasure = (samples: Buffer) => number

/** Source: registered formats of Microsoft's `mmreg.h`. */
const PCM = 0x0001
const MS_ADPCM = 0x0002
const FLOAT = 0x0003
const A_LAW = 0x0006
const MU_LAW = 0x0007
const IMA_ADPCM = 0x0011
const GSM = 0x0031
const G726 = 0x0045
const MPEG: ReadonlySet<number> = new Set([0x0050, 0x0055])
const AAC: ReadonlySet<number> = new Set([0x00ff, 0x1600, 0x706d])
const AC3 = 0x2000
const EXTENSIBLE = 0xfffe
const BITS_MOST = 64

/** Bytes of a second by codecs of speech, at their slowest. */
const SLOW_CODECS: Readonly<Record<number, number>> = {
  0x0022: 1_067, // TrueSpeech, 8.5 kbit/s
  0x0042: 660, // G.723.1, 5.3 kbit/s
  0x0057: 590, // AMR narrow band, 4.75 kbit/s
  0x0058: 825, // AMR wide band, 6.6 kbit/s
  0x0083: 1_000, // G.729, 8 kbit/s
  0x0111: 660, // G.723.1
  0x0130: 625, // ACELP.net, 5 kbit/s
  0x0133: 1_000, // G.729
  0xa109: 250, // Speex, 2 kbit/s
}

/** GSM 6.10 as Microsoft packs it: 65 bytes for 320 samples. */
const GSM_BYTES = 65
const GSM_SAMPLES = 320

/** Reads a format. @throws {RefusedAudioError} when it says what no file of its kind says. */
export function readWaveFormat(format: Buffer, effort: Effort): SampleMeasure {
  if (format.length < 14) throw new RefusedAudioError('Its header of samples is cut off.')
  const tag = tagOf(format)
  const { rate, channels } = boundedSamples(format.readUInt32LE(4), format.readUInt16LE(2))
  const block = format.readUInt16LE(12)
  const bits = format.length >= 16 ? format.readUInt16LE(14) : 8
  const steady = (bytesPerSecond: number): SampleMeasure => {
    return (samples) => samples.length / Math.min(bytesPerSecond, BYTES_PER_SECOND_MOST.samples)
  }
  if (tag === A_LAW || tag === MU_LAW) return steady(rate * channels)
  if (tag === PCM || tag === FLOAT) {
    if (bits === 0 || bits > BITS_MOST) throw new RefusedAudioError(`Its samples do not have 1 to ${BITS_MOST} bits.`)
    // Decoders take the bits and not the size of a block, and so must a price.
    return steady(rate * channels * Math.ceil(bits / 8))
  }
  if (tag === GSM) return steady((rate * GSM_BYTES) / GSM_SAMPLES)
  if (tag === G726) return steady((rate * Math.min(Math.max(bits, 2), 5)) / 8)
  if (tag === IMA_ADPCM) return blocks({ rate, channels, block, head: 4 * channels, extra: 1 })
  if (tag === MS_ADPCM) return blocks({ rate, channels, block, head: 7 * channels, extra: 2 })
  if (MPEG.has(tag)) return framed((samples) => walkMpegFrames(samples, effort).seconds)
  if (AAC.has(tag)) return framed((samples) => walkAdtsFrames(samples, effort).seconds)
  if (tag === AC3) return framed((samples) => walkAc3Frames(samples, effort).seconds)
  const slow = SLOW_CODECS[tag]
  if (slow === undefined) throw notAccepted(`The codec ${tag.toString(16).padStart(4, '0')} of its header`)
  return steady(slow)
}

/** Reads the format of a WAV, whose samples may be another stream than it says. @throws {RefusedAudioError} as above. */
export function readWavFormat(format: Buffer, effort: Effort): SampleMeasure {
  const measure = readWaveFormat(format, effort)
  if (tagOf(format) !== PCM) return measure
  return (samples) => Math.max(measure(samples), disguisedSeconds(samples, effort))
}

function tagOf(format: Buffer): number {
  const code = format.readUInt16LE(0)
  return code === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : code
}

/** Samples without a frame are of a codec that is not read here. */
function framed(walk: SampleMeasure): SampleMeasure {
  return (samples) => {
    const seconds = walk(samples)
    if (samples.length > 0 && seconds === 0) throw notAccepted('What it holds in the place of frames')
    return seconds
  }
}

/** Blocks of a head and then two samples a byte. */
function blocks(shape: {
  readonly rate: number
  readonly channels: number
  readonly block: number
  readonly head: number
  /** Samples that the head itself holds, for each channel. */
  readonly extra: number
}): SampleMeasure {
  const { rate, channels, block, head, extra } = shape
  const samplesIn = (bytes: number): number => (bytes <= head ? 0 : ((bytes - head) * 2) / channels + extra)
  if (block <= head) throw new RefusedAudioError('Its blocks are smaller than their heads.')
  return (samples) => {
    const whole = Math.floor(samples.length / block)
    return (whole * samplesIn(block) + samplesIn(samples.length % block)) / rate
  }
}
