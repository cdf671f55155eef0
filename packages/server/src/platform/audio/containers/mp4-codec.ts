/** The codecs of a track of MP4 or QuickTime, by its sample entry. */
import { aacClock, readAacConfig } from '../codecs/aac.ts'
import { ac3Clock } from '../codecs/ac3.ts'
import { alacClock } from '../codecs/alac.ts'
import { amrClock } from '../codecs/amr.ts'
import { boundedSamples } from '../codecs/bounded-rate.ts'
import { flacClock } from '../codecs/flac-frames.ts'
import { mpegClock } from '../codecs/mpeg-audio.ts'
import { opusClock } from '../codecs/opus-clock.ts'
import type { PacketClock } from '../codecs/packet-clock.ts'
import { splitXiphHeaders, vorbisClock } from '../codecs/vorbis-clock.ts'
import { type Effort, notAccepted } from '../audio-length.ts'
import { appleBytesPerSecond } from './aiff.ts'
import { boxesIn } from './mp4-boxes.ts'

/** How the samples of a track are measured. */
export type TrackCodec =
  | { readonly kind: 'packets'; readonly clock: PacketClock }
  /** Plain samples, where a table may count them one by one. */
  | { readonly kind: 'samples'; readonly rate: number; readonly bytesPerSecond: number }

interface EntryFacts {
  readonly type: string
  readonly rate: number
  readonly channels: number
  readonly bits: number
  /** The boxes behind the fixed fields. */
  readonly boxes: Buffer
}

/** Fixed fields by the entry's version. Source: Apple, "QuickTime File Format Specification", audio descriptions. */
function readEntry(type: string, entry: Buffer): EntryFacts | null {
  if (entry.length < 28) return null
  const version = entry.readUInt16BE(8)
  if (version === 2 && entry.length >= 64) {
    const [rate, channels, bits] = [entry.readDoubleBE(32), entry.readUInt32BE(40), entry.readUInt32BE(48)]
    return { type, rate, channels, bits, boxes: entry.subarray(64) }
  }
  const boxes = entry.subarray(version === 1 ? 44 : 28)
  const [rate, channels, bits] = [entry.readUInt32BE(24) / 65_536, entry.readUInt16BE(16), entry.readUInt16BE(18)]
  return { type, rate, channels, bits, boxes }
}

const PLAIN: ReadonlySet<string> = new Set([
  ...['sowt', 'twos', 'raw ', 'NONE', 'lpcm', 'ipcm', 'fpcm', 'in24', 'in32', 'fl32', 'fl64', 'ulaw', 'alaw'],
  ...['ima4', 'MAC3', 'MAC6'],
])
const MPEG: ReadonlySet<string> = new Set(['.mp3', '.mp2', '.mp1', 'ms\0U', 'ms\0P'])

/** What a sample entry says. @throws {RefusedAudioError} for a codec that is not read here. */
export function readSampleEntry(type: string, entry: Buffer, effort: Effort): TrackCodec {
  const facts = readEntry(type, entry)
  if (facts !== null && PLAIN.has(type)) {
    const { rate } = boundedSamples(facts.rate, facts.channels)
    return { kind: 'samples', rate, bytesPerSecond: appleBytesPerSecond(plainCoding(type), facts) }
  }
  const clock = facts === null ? null : packetClock(facts, effort)
  if (clock === null) throw notAccepted(`The codec '${type.replaceAll(/[^\w .-]/g, '?')}'`)
  return { kind: 'packets', clock }
}

/** Those of ISO have their size in bits, too. */
function plainCoding(type: string): string {
  return type === 'ipcm' || type === 'fpcm' ? 'lpcm' : type
}

function packetClock({ type, rate, channels, boxes }: EntryFacts, effort: Effort): PacketClock | null {
  const find = (name: string): Buffer | null => findBox(boxes, name, effort)
  if (MPEG.has(type)) return mpegClock(effort)
  if (type === 'samr') return amrClock('narrow', effort)
  if (type === 'sawb') return amrClock('wide', effort)
  if (type === 'ac-3' || type === 'ec-3') return ac3Clock(effort)
  if (type === 'Opus') return opusClock(find('dOps')?.[1] ?? channels)
  if (type === 'fLaC') return flacClock(find('dfLa')?.subarray(8) ?? Buffer.alloc(0), effort)
  if (type === 'alac') return alacClock(find('alac')?.subarray(4) ?? Buffer.alloc(0))
  if (type !== 'mp4a') return null
  const { kind, config } = readDescriptor(find('esds') ?? Buffer.alloc(0))
  if (kind === 0x69 || kind === 0x6b) return mpegClock(effort)
  if (kind === 0xa5 || kind === 0xa6) return ac3Clock(effort)
  if (kind === 0xdd) {
    const [first, , third] = splitXiphHeaders(config)
    return first === undefined || third === undefined ? null : vorbisClock(first, third)
  }
  const isAac = kind === null || kind === 0x40 || (kind >= 0x66 && kind <= 0x68)
  return isAac ? (readAacConfig(config) ?? aacClock(rate, channels)) : null
}

/** Finds a box here or within QuickTime's `wave`. */
function findBox(boxes: Buffer, name: string, effort: Effort): Buffer | null {
  for (const { type, content } of boxesIn(boxes, effort)) {
    if (type === name) return content
    const inner = type === 'wave' ? [...boxesIn(content, effort)].find((box) => box.type === name) : undefined
    if (inner !== undefined) return inner.content
  }
  return null
}

/**
 * Reads a descriptor of an elementary stream: what kind it is, and its configuration. Source: ISO/IEC 14496-1, 7.2.6.
 */
function readDescriptor(esds: Buffer): { readonly kind: number | null; readonly config: Buffer } {
  let at = 4
  let kind: number | null = null
  while (at + 2 < esds.length) {
    const tag = esds[at++] ?? 0
    let length = 0
    for (let index = 0; index < 4; index++) {
      const byte = esds[at++] ?? 0
      length = length * 128 + (byte & 0x7f)
      if (byte < 0x80) break
    }
    if (tag === 3) {
      const flags = esds[at + 2] ?? 0
      at += 3 + (flags & 0x80 ? 2 : 0) + (flags & 0x20 ? 2 : 0)
      if (flags & 0x40) at += 1 + (esds[at] ?? 0)
    } else if (tag === 4) {
      kind = esds[at] ?? null
      at += 13
    } else if (tag === 5) {
      return { kind, config: esds.subarray(at, at + length) }
    } else at += length
  }
  return { kind, config: Buffer.alloc(0) }
}
