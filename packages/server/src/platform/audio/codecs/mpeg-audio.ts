/** MPEG audio, layers I to III: frames with a header of four bytes. */
import type { Effort } from '../audio-length.ts'
import type { PacketClock } from './packet-clock.ts'
import { type Frame, type FrameForm, packetSeconds, walkFrames, type WalkedFrames } from './walk-frames.ts'

interface MpegFrame extends Frame {
  readonly samples: number
  readonly rate: number
  readonly channels: number
}

/** Bit rates in kbit/s. Source: ISO/IEC 11172-3, section 2.4.2.3, and ISO/IEC 13818-3, section 2.4.2.3. */
const BIT_RATES = {
  first: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  second: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  third: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  firstLow: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  otherLow: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
const RATES = [44_100, 48_000, 32_000] as const

function bitRatesOf(layer: number, isLow: boolean): readonly number[] {
  if (isLow) return layer === 1 ? BIT_RATES.firstLow : BIT_RATES.otherLow
  return layer === 1 ? BIT_RATES.first : layer === 2 ? BIT_RATES.second : BIT_RATES.third
}

/** Reads the header of a frame; null where there is none. A rate that the stream chooses itself is not decoded. */
function readMpegFrame(bytes: Buffer, at: number): MpegFrame | null {
  if (at < 0 || at + 4 > bytes.length || bytes[at] !== 0xff) return null
  const header = bytes.readUInt32BE(at)
  const version = (header >>> 19) & 3
  const layer = 4 - ((header >>> 17) & 3)
  const bitRate = (header >>> 12) & 15
  const rateIndex = (header >>> 10) & 3
  if (header >>> 21 !== 0x7ff || version === 1 || layer === 4) return null
  if (bitRate === 0 || bitRate === 15 || rateIndex === 3) return null
  const isLow = version !== 3
  const rate = (RATES[rateIndex] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const bitsPerSecond = (bitRatesOf(layer, isLow)[bitRate] ?? 0) * 1_000
  const padding = (header >>> 9) & 1
  const samples = layer === 1 ? 384 : layer === 3 && isLow ? 576 : 1_152
  const length =
    layer === 1
      ? (Math.floor((12 * bitsPerSecond) / rate) + padding) * 4
      : Math.floor(((samples / 8) * bitsPerSecond) / rate) + padding
  const channels = ((header >>> 6) & 3) === 3 ? 1 : 2
  return { bytes: length, seconds: samples / rate, samples, rate, channels, kind: header & 0x001e_0c00 }
}

const FORM: FrameForm = { marker: 0xff, headBytes: 4, read: readMpegFrame }

/** Walks over the frames of a stream inside a container. */
export function walkMpegFrames(bytes: Buffer, effort: Effort): WalkedFrames {
  return walkFrames(bytes, FORM, effort)
}

/** Walks over the frames of a file. What its first frame says of the audio's ends is heeded, as decoders do. */
export function walkMpegFile(bytes: Buffer, effort: Effort): WalkedFrames {
  const walked = walkMpegFrames(bytes, effort)
  const frame = readMpegFrame(bytes, walked.first)
  const silent = frame === null ? 0 : silentSeconds(bytes, walked.first, frame)
  return { ...walked, seconds: Math.max(walked.seconds - silent, 0) }
}

/**
 * A first frame of layer III that holds no audio but describes it. Decoders leave it out, and as many samples at both
 * ends as the encoder says that it has added. Its other words, such as how many frames there are, are not believed.
 * Source: LAME's tag, bytes 141 to 143 of the `Xing` or `Info` header.
 */
function silentSeconds(bytes: Buffer, at: number, frame: MpegFrame): number {
  if (frame.samples === 384 || at + 40 > bytes.length) return 0
  const isLow = frame.samples === 576
  const side = isLow ? (frame.channels === 1 ? 9 : 17) : frame.channels === 1 ? 17 : 32
  const tag = bytes.toString('latin1', at + 4 + side, at + 8 + side)
  if (bytes.toString('latin1', at + 36, at + 40) === 'VBRI') return frame.seconds
  if (tag !== 'Xing' && tag !== 'Info') return 0
  const flags = bytes.readUInt32BE(at + 8 + side)
  const lame =
    at + 12 + side + ((flags & 1) * 4 + ((flags >> 1) & 1) * 4 + ((flags >> 2) & 1) * 100 + ((flags >> 3) & 1) * 4)
  const isLame = /^(?:LAME|Lavf|Lavc|L3\.)/.test(bytes.toString('latin1', lame, lame + 4))
  if (!isLame || lame + 24 > bytes.length) return frame.seconds
  const both = bytes.readUIntBE(lame + 21, 3)
  return frame.seconds + ((both >> 12) + (both & 0xfff)) / frame.rate
}

/** MPEG audio inside a container: a packet may hold several frames. */
export function mpegClock(effort: Effort): PacketClock {
  return {
    secondsOf: packetSeconds(FORM, effort),
    // 448 kbit/s. Each frame's length says its rate, so that nothing hides between frames.
    bytesPerSecondMost: 56_000,
  }
}
