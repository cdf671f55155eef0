import { BYTES_PER_SECOND_MOST, type PacketClock } from './packet-clock.ts'

/** Samples of a frame at 48 kHz, by the configuration in the packet's first byte. Source: RFC 6716, table 2. */
function frameSamples(configuration: number): number {
  if (configuration < 12) return [480, 960, 1_920, 2_880][configuration & 3] ?? 0
  if (configuration < 16) return (configuration & 1) === 0 ? 480 : 960
  return [120, 240, 480, 960][configuration & 3] ?? 0
}

export const OPUS_RATE = 48_000
/** A packet holds 120 ms at most. Source: RFC 6716, section 3.2.5. */
const PACKET_SAMPLES_MAX = 5_760

function packetSamples(packet: Buffer): number {
  const first = packet[0]
  if (first === undefined) return 0
  const code = first & 3
  const frames = code === 0 ? 1 : code < 3 ? 2 : (packet[1] ?? 0) & 63
  return Math.min(frames * frameSamples(first >> 3), PACKET_SAMPLES_MAX)
}

/** Opus, whose packets say themselves how long they are. */
export function opusClock(channels: number): PacketClock {
  return {
    secondsOf: (packet) => packetSamples(packet) / OPUS_RATE,
    bytesPerSecondMost: BYTES_PER_SECOND_MOST.opusPair * Math.ceil(Math.max(channels, 1) / 2),
  }
}
