/**
 * WAV in its forms RIFF, RIFX, RF64 and BW64. Decoders read the format that comes first and play every part that is
 * called `data`; lengths that a writer did not know are 0 or all ones.
 *
 * Sources: Microsoft, "Multimedia Programming Interface and Data Specifications 1.0"; EBU Tech 3306 (RF64).
 */
import { readWavFormat } from '../codecs/wave-codec.ts'
import { type Effort, noAudio, RefusedAudioError } from '../audio-length.ts'

const UNKNOWN_LENGTH = 0xff_ff_ff_ff
const MAGICS: ReadonlySet<string> = new Set(['RIFF', 'RIFX', 'RF64', 'BW64'])

interface Parts {
  readonly formats: { readonly bytes: Buffer; readonly isBeforeData: boolean }[]
  readonly data: Buffer[]
}

/** Seconds of a WAV; null for any other file. */
export function measureWav(bytes: Buffer, effort: Effort): number | null {
  const magic = bytes.toString('latin1', 0, 4)
  if (!MAGICS.has(magic) || bytes.toString('latin1', 8, 12) !== 'WAVE') return null
  const { formats, data } = readParts(bytes, magic, effort)
  if (formats.filter(({ isBeforeData }) => isBeforeData).length > 1) {
    throw new RefusedAudioError('It has two formats, so that two readers may hear different audio.')
  }
  const [format] = formats
  if (format === undefined || data.length === 0) throw noAudio()
  // A decoder reads the parts as one.
  return readWavFormat(format.bytes, effort)(joined(data))
}

function joined(data: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = data
  return data.length === 1 ? first : Buffer.concat(data)
}

function readParts(bytes: Buffer, magic: string, effort: Effort): Parts {
  const isBigEndian = magic === 'RIFX'
  const isLong = magic === 'RF64' || magic === 'BW64'
  const parts: Parts = { formats: [], data: [] }
  let longLength = 0
  let at = 12
  while (at + 8 <= bytes.length) {
    effort.spend(1)
    const name = bytes.toString('latin1', at, at + 4)
    const said = isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)
    const start = at + 8
    const rest = bytes.length - start
    if (name === 'data') {
      const length = isLong ? longLength : said
      const isUnknown = length === 0 || (!isLong && said === UNKNOWN_LENGTH) || length > rest
      parts.data.push(bytes.subarray(start, isUnknown ? bytes.length : start + length))
      if (isUnknown) break
      at = start + length + (length & 1)
      continue
    }
    // Whatever is no part of the container is heard by those who play to the end.
    if (!/^[\x20-\x7e]{4}$/.test(name)) {
      if (parts.data.length > 0) parts.data.push(bytes.subarray(at))
      break
    }
    if (name === 'XMA2') throw new RefusedAudioError('It has a format beside its own.')
    if (name === 'ds64' && rest >= 16) longLength = Number(bytes.readBigUInt64LE(start + 8))
    if (name === 'fmt ') {
      const format = Buffer.from(bytes.subarray(start, Math.min(start + said, start + 64)))
      if (isBigEndian) swapFormat(format)
      parts.formats.push({ bytes: format, isBeforeData: parts.data.length === 0 })
    }
    at = start + said + (said & 1)
  }
  return parts
}

/** Turns the numbers of a format around: two of 16 bits, two of 32, two of 16. */
function swapFormat(format: Buffer): void {
  if (format.length < 16) return
  for (const [start, end] of [
    [0, 4],
    [12, 16],
  ] as const)
    format.subarray(start, end).swap16()
  format.subarray(4, 12).swap32()
}

const W64_RIFF = Buffer.from('726966662e91cf11a5d628db04c10000', 'hex')
const W64_FORMAT = Buffer.from('666d7420f3acd3118cd100c04f8edb8a', 'hex')
const W64_DATA = Buffer.from('64617461f3acd3118cd100c04f8edb8a', 'hex')

/** Seconds of a Wave64, whose parts have names of 16 bytes and lengths of 64 bits, head included; null for any other. */
export function measureWave64(bytes: Buffer, effort: Effort): number | null {
  if (!bytes.subarray(0, 16).equals(W64_RIFF)) return null
  let format: Buffer | null = null
  const data: Buffer[] = []
  let at = 40
  while (at + 24 <= bytes.length) {
    effort.spend(1)
    const name = bytes.subarray(at, at + 16)
    const length = Number(bytes.readBigUInt64LE(at + 16))
    const isData = name.equals(W64_DATA)
    const isOpen = length < 24 || at + length > bytes.length
    const content = bytes.subarray(at + 24, isOpen ? bytes.length : at + length)
    if (isData) data.push(content)
    if (name.equals(W64_FORMAT) && data.length === 0) {
      if (format !== null) throw new RefusedAudioError('It has two formats.')
      format = content
    }
    if (isOpen) break
    at += Math.ceil(length / 8) * 8
  }
  if (format === null || data.length === 0) throw noAudio()
  return readWavFormat(format, effort)(joined(data))
}
