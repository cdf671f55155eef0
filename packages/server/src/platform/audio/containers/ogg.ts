/**
 * Ogg: pages of packets of several streams. Streams that begin together sound together; a stream that begins later
 * follows them. What pages say of the time is not believed, but that the last packet may be heard in part.
 *
 * Sources: RFC 3533 (Ogg), RFC 7845 (Opus), RFC 9639 (FLAC), "Ogg Speex" of Xiph.
 */
import { boundedSamples } from '../codecs/bounded-rate.ts'
import { flacClock } from '../codecs/flac-frames.ts'
import { OPUS_RATE, opusClock } from '../codecs/opus-clock.ts'
import { type PacketClock, steadyClock, TrackTimer } from '../codecs/packet-clock.ts'
import { vorbisClock } from '../codecs/vorbis-clock.ts'
import { type Effort, noAudio, notAccepted } from '../audio-length.ts'

const PAGE = Buffer.from('OggS')
const CONTINUED = 1
const FIRST = 2

/** A decoder is not told to leave out more than this at the beginning. Source: RFC 7845, section 4.2, with room. */
const SKIP_SECONDS_MOST = 0.1

interface OggStream {
  readonly group: number
  /** Packets of a header that are still to come. */
  headers: Buffer[]
  readonly isAudio: boolean
  timer: TrackTimer | null
  /** Parts of a packet that goes on on the next page. */
  parts: Buffer[]
  granule: bigint
  skipSeconds: number
  rate: number
}

/** Seconds of an Ogg; null for any other file. */
export function measureOgg(bytes: Buffer, effort: Effort): number | null {
  if (!bytes.subarray(0, 4).equals(PAGE)) return null
  const reader = new OggReader(effort)
  for (let at = 0; at >= 0 && at + 27 <= bytes.length;) {
    effort.spend(1)
    const end = reader.page(bytes, at)
    // Where no page follows, this one was broken, and decoders look for the next one from its beginning on.
    at = end >= bytes.length - 4 || bytes.subarray(end, end + 4).equals(PAGE) ? end : bytes.indexOf(PAGE, at + 4)
  }
  return reader.seconds()
}

class OggReader {
  readonly #effort: Effort
  readonly #streams: OggStream[] = []
  readonly #open = new Map<number, OggStream>()
  #group = 0
  #hasAudio = false

  constructor(effort: Effort) {
    this.#effort = effort
  }

  /** @returns where the next page begins. */
  page(bytes: Buffer, at: number): number {
    const flags = bytes[at + 5] ?? 0
    const serial = bytes.readUInt32LE(at + 14)
    const count = bytes[at + 26] ?? 0
    let start = at + 27 + count
    // Decoders take a new stream by its header, whether or not its page says that it is the first.
    const isNew = !this.#open.has(serial) && beginsWith(HEADERS, bytes.toString('latin1', start, start + 8))
    if ((flags & FIRST) !== 0 || isNew) this.#begin(serial)
    const stream = this.#open.get(serial)
    if (stream !== undefined && (flags & CONTINUED) === 0) stream.parts = []
    let from = start
    for (let index = 0; index < count; index++) {
      const lacing = bytes[at + 27 + index] ?? 0
      start += lacing
      if (stream === undefined || (lacing === 255 && index < count - 1)) continue
      const part = bytes.subarray(from, start)
      from = start
      if (lacing === 255) stream.parts.push(part)
      else this.#packet(stream, stream.parts.length === 0 ? part : Buffer.concat([...stream.parts.splice(0), part]))
    }
    if (stream !== undefined) stream.granule = bytes.readBigInt64LE(at + 6)
    return start
  }

  /** The longest stream of those that begin together, one such group after the other. */
  seconds(): number {
    let whole = 0
    for (let group = 0; group <= this.#group; group++) {
      const timers = this.#streams.filter((stream) => stream.group === group)
      whole += Math.max(0, ...timers.map((stream) => secondsOf(stream, group === 0, group === this.#group)))
    }
    if (whole === 0) throw noAudio()
    return whole
  }

  #begin(serial: number): void {
    this.#effort.spend(1)
    if (this.#hasAudio) this.#group++
    this.#hasAudio = false
    const stream: OggStream = {
      ...{ group: this.#group, headers: [], isAudio: true, timer: null, parts: [] },
      ...{ granule: -1n, skipSeconds: 0, rate: OPUS_RATE },
    }
    this.#streams.push(stream)
    this.#open.set(serial, stream)
  }

  #packet(stream: OggStream, packet: Buffer): void {
    this.#effort.spend(1)
    if (stream.timer !== null) {
      this.#hasAudio = true
      stream.timer.add(packet)
      return
    }
    stream.headers.push(packet)
    const opened = openStream(stream.headers, this.#effort)
    if (opened === 'more') return
    if (opened === 'other') {
      // Images and texts: they are not heard.
      Object.assign(stream, { isAudio: false, timer: new TrackTimer(steadyClock(0, Infinity)) })
      return
    }
    Object.assign(stream, { timer: new TrackTimer(opened.clock), skipSeconds: opened.skip, rate: opened.rate })
    stream.headers = []
  }
}

interface OpenedStream {
  readonly clock: PacketClock
  readonly skip: number
  /** Of the granules. */
  readonly rate: number
}

const HEADERS = ['OpusHead', '\x01vorbis', '\x7fFLAC', 'Speex   ']
const OTHERS = [
  '\x80theora',
  '\x80kate',
  'fishead',
  'BBCD',
  '\x01video',
  '\x01text',
  'CMML',
  'OVP80',
  '\x8bJNG',
  '\x8aMNG',
]

const beginsWith = (words: readonly string[], text: string): boolean => words.some((word) => text.startsWith(word))

function openStream(headers: readonly Buffer[], effort: Effort): OpenedStream | 'more' | 'other' {
  const [first = Buffer.alloc(0), , third] = headers
  const start = first.toString('latin1', 0, 8)
  if (beginsWith(OTHERS, start)) return 'other'
  if (start === 'OpusHead' && first.length >= 19) {
    const skip = Math.min(first.readUInt16LE(10) / OPUS_RATE, SKIP_SECONDS_MOST)
    return headers.length < 2 ? 'more' : { clock: opusClock(first.readUInt8(9)), skip, rate: OPUS_RATE }
  }
  if (start.startsWith('\x01vorbis')) {
    if (third === undefined) return 'more'
    const clock = vorbisClock(first, third)
    if (clock !== null) return { clock, skip: 0, rate: first.readUInt32LE(12) }
  }
  if (start.startsWith('\x7fFLAC') && first.length >= 51) {
    const clock = flacClock(first.subarray(17, 51), effort)
    if (clock !== null) return { clock, skip: 0, rate: first.readUIntBE(27, 4) >>> 12 }
  }
  if (start === 'Speex   ' && first.length >= 80) return headers.length < 2 ? 'more' : openSpeex(first)
  throw notAccepted('A codec of its streams')
}

/** Speex has frames of 20 ms at 8, 16 or 32 kHz, several in a packet. */
function openSpeex(head: Buffer): OpenedStream {
  const { rate, channels } = boundedSamples(head.readUInt32LE(36), head.readUInt32LE(48), 48_000)
  const samples = Math.max(head.readUInt32LE(56), Math.floor(rate / 50)) * Math.max(head.readUInt32LE(64), 1)
  return { clock: steadyClock(samples / rate, 6_000 * channels), skip: 0, rate }
}

/** The first stream leaves out what its header says, the last one what is behind its last granule, a packet at most. */
function secondsOf(stream: OggStream, isFirst: boolean, isLast: boolean): number {
  const { timer, skipSeconds, granule, rate } = stream
  if (timer === null || !stream.isAudio) return 0
  const behind = isLast && granule > 0n ? timer.counted - Number(granule) / rate : 0
  const cut = Math.min(Math.max(behind, 0), timer.lastSeconds)
  return Math.max(timer.seconds - cut - (isFirst ? skipSeconds : 0), 0)
}
