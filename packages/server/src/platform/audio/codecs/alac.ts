/** Apple Lossless. Source: the reference decoder's description of its "magic cookie". */
import { boundedSamples } from './bounded-rate.ts'
import { BYTES_PER_SECOND_MOST, type PacketClock } from './packet-clock.ts'

const FRAME_SAMPLES_MOST = 16_384

/** @param config 24 bytes: frame length, depth, channels, rate. @returns null when they are none. */
export function alacClock(config: Buffer): PacketClock | null {
  if (config.length < 24) return null
  const frameSamples = config.readUInt32BE(0)
  if (frameSamples === 0 || frameSamples > FRAME_SAMPLES_MOST) return null
  const { rate } = boundedSamples(config.readUInt32BE(20), config.readUInt8(9))
  return {
    secondsOf(packet) {
      if (packet.length < 7) return 0
      // Three bits of element, four of instance, twelve unused; then whether the frame says how many samples it has.
      const saysOwn = ((packet[2] ?? 0) & 0x10) !== 0
      const own = saysOwn ? Math.floor(packet.readUIntBE(2, 5) / 2) % 2 ** 32 : frameSamples
      return Math.min(own, frameSamples) / rate
    },
    bytesPerSecondMost: BYTES_PER_SECOND_MOST.samples,
  }
}
