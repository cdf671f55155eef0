/** AIFF and AIFF-C. Source: Apple, "Audio Interchange File Format AIFF-C", draft of 1991. Also Sun's AU. */
import { boundedSamples } from '../codecs/bounded-rate.ts'
import { BYTES_PER_SECOND_MOST } from '../codecs/packet-clock.ts'
import { type Effort, noAudio, notAccepted, RefusedAudioError } from '../audio-length.ts'

/** Bytes of a sample by coding, where the coding and not the header decides. */
const SAMPLE_BYTES: Readonly<Record<string, number>> = {
  ...{ fl32: 4, FL32: 4, fl64: 8, FL64: 8, in24: 3, in32: 4, ulaw: 1, ULAW: 1, alaw: 1, ALAW: 1 },
  ...{ ima4: 34 / 64, 'GSM ': 33 / 160, MAC3: 1 / 3, MAC6: 1 / 6, G722: 0.5 },
}
const BY_BITS: ReadonlySet<string> = new Set(['NONE', 'twos', 'sowt', 'raw ', 'lpcm'])

/** A float of 80 bits. */
function readExtended(bytes: Buffer, at: number): number {
  const exponent = (bytes.readUInt16BE(at) & 0x7fff) - 16_383
  return Number(bytes.readBigUInt64BE(at + 2)) * 2 ** (exponent - 63)
}

/** Bytes of a second of samples in one of Apple's codings. */
export function appleBytesPerSecond(
  coding: string,
  { rate, channels, bits }: { readonly rate: number; readonly channels: number; readonly bits: number },
): number {
  const own = SAMPLE_BYTES[coding]
  if (own === undefined && !BY_BITS.has(coding)) throw notAccepted(`The codec '${coding.replaceAll(/[^\w .-]/g, '?')}'`)
  if (own === undefined && (bits < 1 || bits > 64)) throw new RefusedAudioError('Its samples do not have 1 to 64 bits.')
  const bounded = boundedSamples(rate, channels)
  const perSecond = bounded.rate * bounded.channels * (own ?? Math.ceil(bits / 8))
  return Math.min(perSecond, BYTES_PER_SECOND_MOST.samples)
}

/** Seconds of an AIFF; null for any other file. */
export function measureAiff(bytes: Buffer, effort: Effort): number | null {
  const kind = bytes.toString('latin1', 8, 12)
  if (bytes.toString('latin1', 0, 4) !== 'FORM' || (kind !== 'AIFF' && kind !== 'AIFC')) return null
  let common: Buffer | null = null
  let audioBytes = 0
  let at = 12
  while (at + 8 <= bytes.length) {
    effort.spend(1)
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32BE(at + 4)
    const start = at + 8
    const rest = bytes.length - start
    if (name === 'COMM') {
      if (common !== null) throw new RefusedAudioError('It has two formats.')
      common = bytes.subarray(start, start + length)
    }
    if (name === 'SSND') {
      const isOpen = length <= 8 || length > rest
      audioBytes += Math.max((isOpen ? rest : length) - 8, 0)
      if (isOpen) break
    }
    at = start + length + (length & 1)
  }
  if (common === null || common.length < 18) throw noAudio()
  const coding = kind === 'AIFC' && common.length >= 22 ? common.toString('latin1', 18, 22) : 'NONE'
  const samples = { rate: readExtended(common, 8), channels: common.readUInt16BE(0), bits: common.readUInt16BE(6) }
  return audioBytes / appleBytesPerSecond(coding, samples)
}

/** Bytes of a sample by AU's number of a coding. Source: the manual page of Sun's `audio.h`. */
const AU_SAMPLE_BYTES: Readonly<Record<number, number>> = {
  ...{ 1: 1, 2: 1, 3: 2, 4: 3, 5: 4, 6: 4, 7: 8, 23: 0.5, 24: 0.5, 25: 0.375, 26: 0.625, 27: 1 },
}

/** Seconds of an AU file, of which all bytes behind the header are samples; null for any other. */
export function measureAu(bytes: Buffer): number | null {
  if (bytes.toString('latin1', 0, 4) !== '.snd' || bytes.length < 24) return null
  const { rate, channels } = boundedSamples(bytes.readUInt32BE(16), bytes.readUInt32BE(20))
  const own = AU_SAMPLE_BYTES[bytes.readUInt32BE(12)]
  if (own === undefined) throw notAccepted('The coding of its samples')
  const start = Math.max(bytes.readUInt32BE(4), 24)
  return Math.max(bytes.length - start, 0) / Math.min(rate * channels * own, BYTES_PER_SECOND_MOST.samples)
}
