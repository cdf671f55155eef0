/** MPEG program streams. Source: ISO/IEC 13818-1, section 2.5.3; ISO/IEC 11172-1, section 2.4.3. */
import { type Effort, noAudio, notAccepted } from '../audio-length.ts'
import { contentStart, isAudio, longestSeconds, outsideSeconds, streamSeconds } from './elementary-stream.ts'

const END = 0xb9
const PACK = 0xba
const STREAM_MAP = 0xbc
const PRIVATE = 0xbd
/** What discs put before the audio of a private stream: which one it is, frames, and where the first begins. */
const PRIVATE_HEAD = 4
const START = Buffer.from([0, 0, 1])

interface Streams {
  readonly audio: Map<number, Buffer[]>
  readonly others: Map<number, Buffer[]>
  /** Bytes of packets, packs and heads. */
  within: number
  /** A table that says of each stream what it is, whatever its number. */
  hasMap: boolean
}

/** A pack begins as its standard says: four bits or two, and a marker. */
function isPack(bytes: Buffer, at: number): boolean {
  const fifth = bytes[at + 4] ?? 0
  return (fifth & 0xc4) === 0x44 || (fifth & 0xf1) === 0x21
}

/** Seconds of the longest stream of audio of a program stream; null for any other file. */
export function measureProgramStream(bytes: Buffer, effort: Effort): number | null {
  if (bytes.length < 16 || bytes.readUInt32BE(0) !== 0x1_00 + PACK || !isPack(bytes, 0)) return null
  const { audio, others, within, hasMap } = readStreams(bytes, effort)
  if (hasMap && others.size > 0) throw notAccepted('A program stream with a map of video')
  // Decoders look into what is called video, too, and hear frames of audio there.
  const hidden = [...others.values()].map((parts) => streamSeconds(parts, effort) ?? 0)
  const outside = outsideSeconds(bytes, bytes.length - within, effort)
  const longest = Math.max(longestSeconds(audio.values(), effort), outside, ...hidden)
  if (longest === 0) throw noAudio()
  return longest
}

function readStreams(bytes: Buffer, effort: Effort): Streams {
  const streams: Streams = { audio: new Map(), others: new Map(), within: 0, hasMap: false }
  for (let at = 0; at + 4 <= bytes.length;) {
    effort.spend(1)
    const id = bytes[at + 3] ?? 0
    if (bytes.readUIntBE(at, 3) !== 1 || id < END) {
      at = bytes.indexOf(START, at + 1)
      if (at < 0) break
      continue
    }
    const end = Math.min(at + lengthOf(bytes, at, id), bytes.length)
    streams.within += end - at
    if (id === STREAM_MAP) streams.hasMap = true
    if (id >= PRIVATE && at + 9 <= end) addPacket(bytes.subarray(at, end), id, streams)
    at = end
  }
  return streams
}

function lengthOf(bytes: Buffer, at: number, id: number): number {
  if (id === END) return 4
  if (id === PACK) return (bytes[at + 4] ?? 0) >> 6 === 1 ? 14 + ((bytes[at + 13] ?? 0) & 7) : 12
  return 6 + (at + 6 <= bytes.length ? bytes.readUInt16BE(at + 4) : 0)
}

function addPacket(packet: Buffer, id: number, { audio, others }: Streams): void {
  const isSecond = (packet[6] ?? 0) >> 6 === 2
  const content = packet.subarray(isSecond ? contentStart(packet, 0) : firstContentStart(packet))
  if (id !== PRIVATE) return add(isAudio(id) ? audio : others, id, content)
  if (content.length >= 2 && content.readUInt16BE(0) === 0x0b77) return add(audio, id, content)
  const own = content[0] ?? 0
  // Subtitles of discs.
  if (own >= 0x20 && own < 0x40) return
  add(audio, id * 256 + own, content.subarray(isSecond ? PRIVATE_HEAD : 0))
}

/** Where the content of a packet of MPEG-1 begins: behind bytes that fill it, a buffer's size, and one or two times. */
function firstContentStart(packet: Buffer): number {
  let at = 6
  while (packet[at] === 0xff) at++
  if ((packet[at] ?? 0) >> 6 === 1) at += 2
  const times = (packet[at] ?? 0) >> 4
  return at + (times === 2 ? 5 : times === 3 ? 10 : 1)
}

function add(streams: Map<number, Buffer[]>, id: number, content: Buffer): void {
  const parts = streams.get(id)
  if (parts === undefined) streams.set(id, [content])
  else parts.push(content)
}
