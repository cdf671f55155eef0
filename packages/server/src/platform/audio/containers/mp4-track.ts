/** One track of audio of an MP4: its tables of samples, and the parts of it that are played. */
import { TrackTimer } from '../codecs/packet-clock.ts'
import { type Effort, RefusedAudioError } from '../audio-length.ts'
import { boxesIn, type Children, onlyBox, u32, u64 } from './mp4-boxes.ts'
import { readSampleEntry, type TrackCodec } from './mp4-codec.ts'

/** A part that is played, in the track's own time. */
export interface Edit {
  readonly start: number
  /** Infinity: to the end. */
  readonly end: number
}

/** Counts what a decoder hears of one track. */
export class AudioTrack {
  readonly #bytes: Buffer
  readonly #effort: Effort
  readonly #codec: TrackCodec
  readonly #timer: TrackTimer
  /** Seconds up to the end of each sample; only where parts are played. */
  readonly #ends: number[] = []

  constructor(bytes: Buffer, codec: TrackCodec, effort: Effort) {
    this.#bytes = bytes
    this.#effort = effort
    this.#codec = codec
    const clock =
      codec.kind === 'packets'
        ? codec.clock
        : {
            secondsOf: (packet: Buffer) => packet.length / codec.bytesPerSecond,
            bytesPerSecondMost: codec.bytesPerSecond,
          }
    this.#timer = new TrackTimer(clock)
  }

  /** Bytes of audio so far. */
  get bytesPerSecondMost(): number {
    return this.#timer.clock.bytesPerSecondMost
  }

  get seconds(): number {
    return this.#timer.seconds
  }

  get audioBytes(): number {
    return this.#timer.bytes
  }

  /** Takes in one sample. What lies beyond the file is not heard. */
  sample(at: number, length: number): void {
    this.#effort.spend(1)
    if (at < this.#bytes.length && length > 0) this.#timer.add(this.#bytes.subarray(at, at + length))
    this.#ends.push(this.#timer.counted)
  }

  /** Takes in the samples of the tables of a track. */
  table(stbl: Children): void {
    const sizes = readSizes(stbl)
    const offsets = onlyBox(stbl, 'stco') ?? onlyBox(stbl, 'co64')
    const runs = onlyBox(stbl, 'stsc')
    if (offsets === null || runs === null || sizes === null) return
    const isLong = stbl.has('co64') && !stbl.has('stco')
    const chunks = Math.min(u32(offsets, 4), Math.floor((offsets.length - 8) / (isLong ? 8 : 4)))
    const lastRun = Math.min(u32(runs, 4), Math.floor((runs.length - 8) / 12)) - 1
    let run = 0
    let left = sizes.count
    for (let chunk = 0, index = 0; chunk < chunks && left > 0; chunk++) {
      this.#effort.spend(1)
      while (run < lastRun && u32(runs, 8 + (run + 1) * 12) <= chunk + 1) run++
      const count = Math.min(u32(runs, 8 + run * 12 + 4), left)
      const at = isLong ? u64(offsets, 8 + chunk * 8) : u32(offsets, 8 + chunk * 4)
      this.#chunk(at, { index, count, sizes })
      index += count
      left -= count
    }
  }

  #chunk(at: number, { index, count, sizes }: { index: number; count: number; sizes: SampleSizes }): void {
    const codec = this.#codec
    if (codec.kind === 'samples' && sizes.constant !== null) {
      // A table may count single samples, or packets of many.
      const sampleBytes = codec.bytesPerSecond / codec.rate
      const each = sizes.constant > Math.ceil(sampleBytes) ? sizes.constant : sampleBytes
      const room = Math.max(this.#bytes.length - at, 0)
      this.#timer.count(Math.min(count * each, room))
      return
    }
    let from = at
    for (let sample = index; sample < index + count; sample++) {
      const length = sizes.of(sample)
      // Nothing behind the end of the file is heard, however much of it there shall be.
      if (from >= this.#bytes.length && sizes.constant !== null) return
      this.sample(from, length)
      from += length
    }
  }

  /** Seconds of the parts that are played, by the times of the track's samples. */
  played(edits: readonly Edit[], times: Buffer | null): number {
    const whole = this.#timer.seconds
    if (edits.length === 0 || times === null || this.#timer.counted === 0) return whole
    const lengths = readTimes(times, this.#effort)
    const ends = this.#ends
    const upTo = (index: number): number => {
      if (ends.length === 0) return index
      const before = Math.floor(index)
      const start = before === 0 ? 0 : (ends[Math.min(before, ends.length) - 1] ?? 0)
      const end = ends[Math.min(before, ends.length - 1)] ?? 0
      return before >= ends.length ? end : start + (index - before) * (end - start)
    }
    const all = upTo(ends.length === 0 ? lengths.reduce((sum, [count]) => sum + count, 0) : ends.length)
    let heard = 0
    for (const { start, end } of edits) {
      this.#effort.spend(lengths.length)
      heard += Math.max(upTo(Math.ceil(indexAt(lengths, end))) - upTo(indexAt(lengths, start)), 0)
    }
    // An upper bound of bytes holds for the whole, so it is shared out.
    return heard > 0 && all > 0 ? (whole * heard) / all : whole
  }
}

interface SampleSizes {
  readonly count: number
  /** Null where each has its own. */
  readonly constant: number | null
  readonly of: (sample: number) => number
}

function readSizes(stbl: Children): SampleSizes | null {
  const table = onlyBox(stbl, 'stsz')
  const small = onlyBox(stbl, 'stz2')
  if (table !== null) {
    const constant = u32(table, 4)
    if (constant > 0) return { count: u32(table, 8), constant, of: () => constant }
    const count = Math.min(u32(table, 8), Math.floor((table.length - 12) / 4))
    return { count, constant: null, of: (sample) => u32(table, 12 + sample * 4) }
  }
  if (small === null || small.length < 12) return null
  const bits = small[7] ?? 0
  if (bits !== 4 && bits !== 8 && bits !== 16) throw new RefusedAudioError('A table of it has sizes of odd bits.')
  const count = Math.min(u32(small, 8), Math.floor(((small.length - 12) * 8) / bits))
  const of = (sample: number): number => {
    if (bits === 16) return small.readUInt16BE(12 + sample * 2)
    if (bits === 8) return small[12 + sample] ?? 0
    return ((small[12 + (sample >> 1)] ?? 0) >> (sample & 1 ? 0 : 4)) & 15
  }
  return { count, constant: null, of }
}

type Times = readonly (readonly [count: number, each: number])[]

function readTimes(stts: Buffer, effort: Effort): Times {
  const count = Math.min(u32(stts, 4), Math.floor((stts.length - 8) / 8))
  effort.spend(Math.max(count, 0))
  return Array.from({ length: Math.max(count, 0) }, (_, run) => {
    const each = u32(stts, 8 + run * 8 + 4)
    // Decoders take a negative length for the shortest one.
    return [u32(stts, 8 + run * 8), each >= 2 ** 31 ? 1 : each]
  })
}

/** Which sample sounds at a time, with how far into it. */
function indexAt(times: Times, time: number): number {
  let index = 0
  let at = 0
  for (const [count, each] of times) {
    if (each === 0 ? at >= time : at + count * each > time)
      return each === 0 ? index : index + Math.max(time - at, 0) / each
    index += count
    at += count * each
  }
  return index
}

/** The entries of a track's table of codecs: more than one where it changes on the way. */
export function readCodecs(stsd: Buffer, effort: Effort): readonly TrackCodec[] {
  return [...boxesIn(stsd.subarray(8), effort)].map(({ type, content }) => readSampleEntry(type, content, effort))
}

/** Reads which parts are played, but for pauses. */
export function readEdits(
  elst: Buffer | null,
  scales: { readonly movie: number; readonly track: number },
): readonly Edit[] {
  if (elst === null) return []
  const isLong = elst[0] === 1
  const each = isLong ? 20 : 12
  const count = Math.max(Math.min(u32(elst, 4), Math.floor((elst.length - 8) / each)), 0)
  const edits = Array.from({ length: count }, (_, index) => {
    const at = 8 + index * each
    const length = isLong ? u64(elst, at) : u32(elst, at)
    const start = isLong ? u64(elst, at + 8) : u32(elst, at + 4)
    const isPause = start === (isLong ? 2 ** 64 : 2 ** 32 - 1)
    return { start, end: length === 0 ? Infinity : start + (length / scales.movie) * scales.track, isPause }
  })
  return edits.filter(({ isPause }) => !isPause)
}
