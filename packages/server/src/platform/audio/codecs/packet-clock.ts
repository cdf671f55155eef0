/** How long packets of a codec last, measured from the packets themselves: times in a container do not count. */

/** Tells how long the packets of one track last. It sees each packet once, in their order. */
export interface PacketClock {
  /** Seconds that a decoder makes of a packet; 0 for one that it would refuse. */
  secondsOf(packet: Buffer): number
  /** The most bytes that a second has: the length by bytes alone is a floor under the length by packets. */
  readonly bytesPerSecondMost: number
}

/**
 * The most bytes of a second of audio: the highest bit rate that a codec is made with.
 *
 * Sources: RFC 6716, section 2.1.1 (Opus, 510 kbit/s for a pair of channels); libvorbis, quality 10 (500 kbit/s); AES10
 * (uncompressed: 64 channels at 48 kHz or 16 at 192 kHz, of 24 bits, which bounds lossless codecs, too).
 */
export const BYTES_PER_SECOND_MOST = { opusPair: 64_000, vorbisPair: 64_000, samples: 9_216_000 } as const

/** Bits that a frame of AAC has for each channel at most. Source: ISO/IEC 14496-3, the decoder's input buffer. */
export const AAC_FRAME_BITS_MOST = 6_144

/**
 * Bytes of a second of bytes of which nothing is known: 4 kbit/s. Decoders have no speech in fewer (WMA Voice 4 kbit/s,
 * AMR 4.75, SIPR 5, G.723.1 5.3, Opus 6, MPEG audio 8) but Codec 2 and Speex, whose files are refused or read.
 * Source: decision 0087.
 */
export const BYTES_PER_SECOND_LEAST = 500

/** A codec each of whose packets is one frame of a fixed length. */
export function steadyClock(secondsPerPacket: number, bytesPerSecondMost: number): PacketClock {
  return { secondsOf: () => secondsPerPacket, bytesPerSecondMost }
}

/** A codec whose bytes take a fixed time. */
export function byteClock(bytesPerSecond: number): PacketClock {
  return { secondsOf: (packet) => packet.length / bytesPerSecond, bytesPerSecondMost: bytesPerSecond }
}

/** Sums what the packets of a track say. */
export class TrackTimer {
  readonly clock: PacketClock
  #seconds = 0
  #bytes = 0
  /** Of the packet that came last: what its end may be cut by. */
  #last = 0

  constructor(clock: PacketClock) {
    this.clock = clock
  }

  /** @returns seconds of this packet. */
  add(packet: Buffer): number {
    const seconds = packet.length === 0 ? 0 : this.clock.secondsOf(packet)
    this.#bytes += packet.length
    this.#seconds += seconds
    if (seconds > 0) this.#last = seconds
    return seconds
  }

  /** Takes in bytes of a codec whose bytes take a fixed time, without looking at them. */
  count(bytes: number): void {
    this.#bytes += bytes
    this.#seconds += bytes / this.clock.bytesPerSecondMost
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Seconds by the packets alone. */
  get counted(): number {
    return this.#seconds
  }

  get lastSeconds(): number {
    return this.#last
  }

  /** Seconds, and never less than the bytes can be. */
  get seconds(): number {
    return Math.max(this.#seconds, this.#bytes / this.clock.bytesPerSecondMost)
  }
}
