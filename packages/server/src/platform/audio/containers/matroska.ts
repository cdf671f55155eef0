/**
 * Matroska and WebM. Blocks are counted wherever they are; durations, positions and sizes of segments and clusters are
 * not believed, since live streams leave them open. Source: RFC 9559, RFC 8794 (EBML).
 */
import { type Effort, noAudio, RefusedAudioError } from '../audio-length.ts'
import { TrackTimer } from '../codecs/packet-clock.ts'
import { matroskaClock, type MatroskaAudio } from './matroska-codec.ts'

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const TRACKS = 0x1654ae6b
const TRACK = 0xae
const CLUSTER = 0x1f43b675
const RESUMED = ['1f43b675', '1654ae6b', '18538067'].map((id) => Buffer.from(id, 'hex'))
const GROUP = 0xa0
const BLOCKS: ReadonlySet<number> = new Set([0xa3, 0xa1])
/** Elements whose content is walked through as if it were here. */
const OPENED: ReadonlySet<number> = new Set([SEGMENT, CLUSTER, GROUP])
/** Elements that hold no audio: images, texts and indexes. */
const METADATA: ReadonlySet<number> = new Set([
  EBML,
  TRACKS,
  0x1941a469,
  0x1254c367,
  0x1c53bb6b,
  0x114d9b74,
  0x1043a770,
  0x1549a966,
  0xec,
])
const DEPTH_MAX = 8

export interface Element {
  readonly id: number
  /** Where its content begins. */
  readonly start: number
  /** Null: it goes on to where its parent ends. */
  readonly length: number | null
}

/** Reads the head of an element; null where there is none. */
export function readElement(bytes: Buffer, at: number): Element | null {
  const first = bytes[at] ?? 0
  const idBytes = Math.clz32(first) - 23
  if (first === 0 || idBytes > 4 || at + idBytes >= bytes.length) return null
  const lead = bytes[at + idBytes] ?? 0
  const sizeBytes = Math.clz32(lead) - 23
  if (lead === 0 || at + idBytes + sizeBytes > bytes.length) return null
  let length = lead & ((1 << (8 - sizeBytes)) - 1)
  let isOpen = length === (1 << (8 - sizeBytes)) - 1
  for (let index = 1; index < sizeBytes; index++) {
    const byte = bytes[at + idBytes + index] ?? 0
    isOpen &&= byte === 0xff
    length = length * 256 + byte
  }
  return { id: bytes.readUIntBE(at, idBytes), start: at + idBytes + sizeBytes, length: isOpen ? null : length }
}

/** The elements within some bytes, as far as they can be read. */
export function* elementsIn(
  bytes: Buffer,
  effort: Effort,
): Generator<{ readonly id: number; readonly content: Buffer }> {
  for (let at = 0; at < bytes.length;) {
    effort.spend(1)
    const element = readElement(bytes, at)
    if (element === null) return
    const end = element.length === null ? bytes.length : element.start + element.length
    yield { id: element.id, content: bytes.subarray(element.start, end) }
    at = end
  }
}

interface Track {
  readonly timer: TrackTimer
  readonly prefix: Buffer
  /** Seconds that are left out at the beginning. */
  readonly skip: number
  /** Seconds that are left out of the packet that came last. */
  discard: number
}

/** A decoder is not told to leave out more than this at the beginning. Source: RFC 7845, section 4.2, with room. */
const SKIP_SECONDS_MOST = 0.1
const DISCARD = 0x75a2
const NANOSECONDS = 1e9

function audioOf({ timer, skip, discard }: Track): number {
  return Math.max(timer.seconds - skip - Math.min(discard, timer.lastSeconds), 0)
}

/** Seconds of the longest track of audio; null for any other file. */
export function measureMatroska(bytes: Buffer, effort: Effort): number | null {
  if (bytes.length < 4 || bytes.readUInt32BE(0) !== EBML) return null
  const tracks = new Map<number, Track | null>()
  let seconds = 0
  let hasAudio = false
  let hasTracks = false
  let hasImages = false
  let last: Track | null = null
  /** Bytes that are no audio, or counted. */
  let accounted = 0
  let slowest = 0
  let parents: readonly number[] = []
  const close = (): void => {
    const audioTracks = [...tracks.values()].filter((track) => track !== null)
    hasImages ||= audioTracks.length < tracks.size
    slowest = Math.max(slowest, ...audioTracks.map(({ timer }) => timer.clock.bytesPerSecondMost))
    hasAudio ||= audioTracks.length > 0
    seconds += Math.max(0, ...audioTracks.map(audioOf))
    tracks.clear()
    hasTracks = false
  }
  for (let at = 0; at < bytes.length;) {
    effort.spend(1)
    const here = at
    parents = parents.filter((end) => end > here)
    const element = readElement(bytes, at)
    if (element === null || !isKnown(element, bytes) || endOf(element) > Math.min(...parents)) {
      // Decoders look for the next cluster where something cannot be read.
      const next = RESUMED.map((id) => bytes.indexOf(id, at + 1)).filter((found) => found >= 0)
      if (next.length === 0) break
      at = Math.min(...next)
      parents = []
      continue
    }
    const { id, start, length } = element
    if (id === SEGMENT) close()
    if (OPENED.has(id)) {
      at = start
      if (id !== SEGMENT) parents = [...parents, endOf(element)]
      continue
    }
    const end = length === null ? bytes.length : Math.min(start + length, bytes.length)
    // What is said a second time of the tracks is not heard.
    if (id === TRACKS && !hasTracks) readTracks(bytes.subarray(start, end), tracks, effort)
    hasTracks ||= id === TRACKS
    if (BLOCKS.has(id)) last = addBlock(bytes.subarray(start, end), tracks, effort)
    if (id === DISCARD && last !== null) last.discard = unsigned(bytes.subarray(start, end)) / NANOSECONDS
    if (METADATA.has(id) || BLOCKS.has(id)) accounted += end - at
    at = end
  }
  close()
  if (!hasAudio) throw noAudio()
  return seconds + (hasImages ? 0 : bytesLeft(bytes.length - accounted, slowest))
}

/** Seconds of bytes that no element accounts for, at the most bytes of a second. Heads of elements are few. */
function bytesLeft(bytes: number, most: number): number {
  const seconds = most > 0 ? bytes / most : 0
  return seconds < 1 ? 0 : seconds
}

/** Where an element says that it ends. */
function endOf({ start, length }: Element): number {
  return length === null ? Infinity : start + length
}

/** Whether something is an element that decoders go on from: a known one, or one that ends within the file. */
function isKnown({ id, start, length }: Element, bytes: Buffer): boolean {
  if (OPENED.has(id) || BLOCKS.has(id) || METADATA.has(id)) return true
  return length !== null && start + length <= bytes.length
}

function readTracks(content: Buffer, tracks: Map<number, Track | null>, effort: Effort): void {
  for (const { id, content: entry } of elementsIn(content, effort)) if (id === TRACK) readTrack(entry, tracks, effort)
}

const NUMBER = 0xd7
const TYPE = 0x83
const AUDIO = 0xe1
const AUDIO_TYPE = 2
const ENCODINGS = 0x6d80

function unsigned(content: Buffer | undefined): number {
  return content === undefined || content.length === 0 || content.length > 6 ? 0 : content.readUIntBE(0, content.length)
}

function float(content: Buffer | undefined): number {
  return content?.length === 4 ? content.readFloatBE(0) : content?.length === 8 ? content.readDoubleBE(0) : 0
}

function readTrack(entry: Buffer, tracks: Map<number, Track | null>, effort: Effort): void {
  const own = new Map([...elementsIn(entry, effort)].map(({ id, content }) => [id, content]))
  const number = unsigned(own.get(NUMBER))
  if (unsigned(own.get(TYPE)) !== AUDIO_TYPE) return void tracks.set(number, null)
  const audio = new Map(
    [...elementsIn(own.get(AUDIO) ?? Buffer.alloc(0), effort)].map(({ id, content }) => [id, content]),
  )
  const facts: MatroskaAudio = {
    codec: (own.get(0x86) ?? Buffer.alloc(0)).toString('latin1').split('\0', 1)[0] ?? '',
    setup: own.get(0x63a2) ?? Buffer.alloc(0),
    rate: audio.has(0xb5) ? float(audio.get(0xb5)) : 8_000,
    channels: audio.has(0x9f) ? unsigned(audio.get(0x9f)) : 1,
    bits: unsigned(audio.get(0x6264)),
  }
  const prefix = readPrefix(own.get(ENCODINGS), effort)
  const skip = Math.min(unsigned(own.get(0x56aa)) / NANOSECONDS, SKIP_SECONDS_MOST)
  tracks.set(number, { timer: new TrackTimer(matroskaClock(facts, effort)), prefix, skip, discard: 0 })
}

/** What precedes each packet though it is written once. @throws {RefusedAudioError} for packed tracks. */
function readPrefix(encodings: Buffer | undefined, effort: Effort, depth = 0): Buffer {
  let prefix = Buffer.alloc(0)
  if (encodings === undefined || depth > DEPTH_MAX) return prefix
  let algorithm: number | null = null
  for (const { id, content } of elementsIn(encodings, effort)) {
    if (id === 0x6240) prefix = Buffer.concat([prefix, readPrefix(content, effort, depth + 1)])
    if (id === 0x5034) {
      const own = new Map([...elementsIn(content, effort)].map((each) => [each.id, each.content]))
      algorithm = unsigned(own.get(0x4254))
      if (algorithm === 3) prefix = Buffer.from(own.get(0x4255) ?? Buffer.alloc(0))
    }
    if (id === 0x5035) throw new RefusedAudioError('Its audio is encrypted.')
  }
  if (algorithm !== null && algorithm !== 3) throw new RefusedAudioError('Its audio is packed a second time.')
  return prefix
}

function addBlock(block: Buffer, tracks: ReadonlyMap<number, Track | null>, effort: Effort): Track | null {
  const number = readVint(block, 0)
  const track = number === null ? null : (tracks.get(number.value) ?? null)
  if (number === null || track === null) return null
  const flags = block[number.end + 2] ?? 0
  track.discard = 0
  for (const frame of splitLaces(block.subarray(number.end + 3), (flags >> 1) & 3, effort)) {
    effort.spend(1)
    track.timer.add(track.prefix.length === 0 ? frame : Buffer.concat([track.prefix, frame]))
  }
  return track
}

function readVint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | null {
  const first = bytes[at] ?? 0
  const length = Math.clz32(first) - 23
  if (first === 0 || length > 6 || at + length > bytes.length) return null
  let value = first & ((1 << (8 - length)) - 1)
  for (let index = 1; index < length; index++) value = value * 256 + (bytes[at + index] ?? 0)
  return { value, end: at + length }
}

const XIPH = 1
const FIXED = 2

/** Takes a block apart that holds several packets. Source: RFC 9559, section 10.3. */
function splitLaces(content: Buffer, lacing: number, effort: Effort): readonly Buffer[] {
  if (lacing === 0) return [content]
  const count = (content[0] ?? 0) + 1
  let at = 1
  const lengths: number[] = []
  if (lacing === FIXED) {
    const length = Math.floor((content.length - 1) / count)
    for (let index = 0; index < count - 1; index++) lengths.push(length)
  } else if (lacing === XIPH) {
    while (lengths.length < count - 1 && at < content.length) {
      let length = 0
      let part: number
      do {
        effort.spend(1)
        part = content[at++] ?? 0
        length += part
      } while (part === 255)
      lengths.push(length)
    }
  } else {
    for (let index = 0, length = 0; index < count - 1; index++) {
      const read = readVint(content, at)
      if (read === null) break
      // Each length but the first is a difference, with the middle of what its bytes can say for zero.
      const middle = index === 0 ? 0 : 2 ** (7 * (read.end - at) - 1) - 1
      length = index === 0 ? read.value : length + read.value - middle
      at = read.end
      lengths.push(Math.max(length, 0))
    }
  }
  const frames: Buffer[] = []
  for (const length of lengths) frames.push(content.subarray(at, (at += length)))
  return [...frames, content.subarray(at)]
}
