/** Apple's Core Audio Format. Source: Apple, "Core Audio Format Specification 1.0". */
import { aacClock, readAacConfig } from '../codecs/aac.ts'
import { alacClock } from '../codecs/alac.ts'
import { walkMpegFrames } from '../codecs/mpeg-audio.ts'
import { BYTES_PER_SECOND_LEAST } from '../codecs/packet-clock.ts'
import { type Effort, noAudio, RefusedAudioError } from '../audio-length.ts'
import { appleBytesPerSecond } from './aiff.ts'

/** Seconds of a CAF; null for any other file. */
export function measureCaf(bytes: Buffer, effort: Effort): number | null {
  if (bytes.toString('latin1', 0, 4) !== 'caff') return null
  const parts = new Map<string, Buffer>()
  let at = 8
  while (at + 12 <= bytes.length) {
    effort.spend(1)
    const name = bytes.toString('latin1', at, at + 4)
    const length = Number(bytes.readBigInt64BE(at + 4))
    const isOpen = length < 0 || at + 12 + length > bytes.length
    if (parts.has(name) && name !== 'free') throw new RefusedAudioError(`It has two parts '${name}'.`)
    parts.set(name, bytes.subarray(at + 12, isOpen ? bytes.length : at + 12 + length))
    if (isOpen) break
    at += 12 + length
  }
  const format = parts.get('desc')
  const data = parts.get('data')?.subarray(4)
  if (format === undefined || format.length < 32 || data === undefined) throw noAudio()
  return secondsOf({ format, data, cookie: parts.get('kuki'), table: parts.get('pakt') }, effort)
}

interface CafParts {
  readonly format: Buffer
  readonly data: Buffer
  readonly cookie: Buffer | undefined
  readonly table: Buffer | undefined
}

function secondsOf({ format, data, cookie, table }: CafParts, effort: Effort): number {
  const coding = format.toString('latin1', 8, 12)
  const rate = format.readDoubleBE(0)
  const channels = format.readUInt32BE(24)
  if (coding === '.mp3' || coding === '.mp2' || coding === '.mp1') return walkMpegFrames(data, effort).seconds
  const clock = coding.startsWith('aac') ? aacOf(cookie, rate, channels) : coding === 'alac' ? alacOf(cookie) : null
  if (clock === null)
    return data.length / appleBytesPerSecond(coding, { rate, channels, bits: format.readUInt32BE(28) })
  let seconds = 0
  let at = 0
  for (const length of packetLengths(table, effort)) {
    if (at >= data.length) break
    seconds += clock.secondsOf(data.subarray(at, at + length))
    at += length
  }
  return Math.max(seconds, data.length / clock.bytesPerSecondMost, at === 0 ? data.length / BYTES_PER_SECOND_LEAST : 0)
}

/** The cookie of AAC is a descriptor of MPEG-4 that ends with the decoder's configuration. */
function aacOf(cookie: Buffer | undefined, rate: number, channels: number) {
  const tag = cookie?.indexOf(Buffer.from([0x05])) ?? -1
  const length = tag < 0 ? 0 : cookie?.subarray(tag + 1, tag + 5).findIndex((byte) => byte < 0x80)
  const config = cookie === undefined || length === undefined ? null : cookie.subarray(tag + 2 + length)
  return (config === null ? null : readAacConfig(config)) ?? aacClock(rate, channels)
}

function alacOf(cookie: Buffer | undefined) {
  if (cookie === undefined) return null
  // Old writers wrap it in two atoms of twelve bytes.
  return alacClock(cookie.toString('latin1', 4, 8) === 'frma' ? cookie.subarray(24) : cookie)
}

/** Lengths of packets, seven bits a byte, behind a header of 24 bytes. */
function* packetLengths(table: Buffer | undefined, effort: Effort): Generator<number> {
  if (table === undefined) return
  let value = 0
  for (let at = 24; at < table.length; at++) {
    effort.spend(1)
    const byte = table[at] ?? 0
    value = (value & 0x1ff_ffff) * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    yield value
    value = 0
  }
}
