import { boundedSamples } from './bounded-rate.ts'
import { BYTES_PER_SECOND_MOST, type PacketClock } from './packet-clock.ts'

/** Reads bits from the end of a packet to its beginning: the modes come last in the setup header. */
class BackwardBits {
  readonly #bytes: Buffer
  /** Of the next bit to read; -1 before the first. */
  #at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  get at(): number {
    return this.#at
  }

  /** The number of `count` bits that ends at the present place. */
  read(count: number): number {
    let value = 0
    for (let bit = 0; bit < count; bit++, this.#at--) {
      value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (this.#at & 7)) & 1)
    }
    return value
  }
}

const MODE_BITS = 41
const MODES_MAX = 64

/**
 * Which modes have long blocks; null when the header is not understood. A mode is a flag, two types of 16 bits that are
 * zero, and a mapping of 8 bits; their count less one precedes them in 6 bits, and a framing bit follows them. Source:
 * Vorbis I specification, section 4.2.4, "Modes".
 */
function readModes(setup: Buffer): readonly boolean[] | null {
  let last = setup.length * 8 - 1
  while (last >= 0 && (((setup[last >> 3] ?? 0) >> (last & 7)) & 1) === 0) last--
  const bits = new BackwardBits(setup, last - 1)
  const flags: boolean[] = []
  let found: readonly boolean[] | null = null
  while (flags.length < MODES_MAX && bits.at >= MODE_BITS + 6) {
    const mapping = bits.read(8)
    const types = bits.read(32)
    if (mapping > 63 || types !== 0) break
    flags.unshift(bits.read(1) === 1)
    if (new BackwardBits(setup, bits.at).read(6) + 1 === flags.length) found = [...flags]
  }
  return found
}

/**
 * Vorbis, from its first and its third header: a packet's first bits name its mode, and two blocks in a row overlap by
 * half.
 *
 * @returns null when the first header is none.
 */
export function vorbisClock(identification: Buffer, setup: Buffer): PacketClock | null {
  if (identification.length < 30 || identification.toString('latin1', 1, 7) !== 'vorbis') return null
  const { rate, channels } = boundedSamples(identification.readUInt32LE(12), identification.readUInt8(11))
  const sizes = identification.readUInt8(28)
  const [short, long] = [2 ** (sizes & 15), 2 ** (sizes >> 4)]
  const modes = readModes(setup)
  const mask = modes === null ? 0 : 2 ** Math.ceil(Math.log2(modes.length)) - 1
  let previous: number | null = null
  return {
    secondsOf(packet) {
      const first = packet[0] ?? 1
      // A header in the middle of the audio, or nothing.
      if ((first & 1) === 1) return 0
      const block = (modes?.[(first >> 1) & mask] ?? true) ? long : short
      const samples = previous === null ? 0 : (previous + block) / 4
      previous = block
      return samples / rate
    },
    bytesPerSecondMost: BYTES_PER_SECOND_MOST.vorbisPair * Math.ceil(channels / 2),
  }
}

/** Splits three packets that follow each other, as Matroska and MP4 keep Vorbis' headers. */
export function splitXiphHeaders(bytes: Buffer): readonly Buffer[] {
  const count = (bytes[0] ?? 0) + 1
  const lengths: number[] = []
  let at = 1
  while (lengths.length < count - 1 && at < bytes.length) {
    let length = 0
    let part: number
    do {
      part = bytes[at++] ?? 0
      length += part
    } while (part === 255)
    lengths.push(length)
  }
  const packets: Buffer[] = []
  for (const length of lengths) packets.push(bytes.subarray(at, (at += length)))
  return [...packets, bytes.subarray(at)]
}
