/** MPEG transport streams, of audio alone. Source: ISO/IEC 13818-1, section 2.4.3. */
import { type Effort, noAudio, notAccepted } from '../audio-length.ts'
import { contentStart, isAudio, longestSeconds, outsideSeconds } from './elementary-stream.ts'

const SYNC = 0x47
const PACKET_BYTES = 188
/** Bytes of a packet, and how many precede its sync byte: plain, with a time, with a checksum. */
const LAYOUTS = [
  [188, 0],
  [192, 4],
  [204, 0],
] as const

/**
 * Seconds of the longest stream of a transport stream; null for any other file.
 *
 * @throws {RefusedAudioError} for one with video or data: its tables say what a stream is, whatever the stream calls
 *   itself, so that any of them may be heard.
 */
export function measureTransportStream(bytes: Buffer, effort: Effort): number | null {
  const layout = LAYOUTS.find(([length, lead]) => [0, 1, 2, 3].every((index) => bytes[lead + index * length] === SYNC))
  if (layout === undefined) return null
  const [length, lead] = layout
  const streams = new Map<number, Buffer[]>()
  let within = 0
  for (let at = lead; at + PACKET_BYTES <= bytes.length; at += length) {
    effort.spend(1)
    if (bytes[at] !== SYNC) {
      const next = bytes.indexOf(SYNC, at)
      if (next < 0) break
      at = next - length
      continue
    }
    within += length
    const id = bytes.readUInt16BE(at + 1) & 0x1fff
    const control = ((bytes[at + 3] ?? 0) >> 4) & 3
    const start = at + 4 + (control & 2 ? 1 + (bytes[at + 4] ?? 0) : 0)
    const end = at + PACKET_BYTES
    if ((control & 1) === 0 || start >= end) continue
    const isFirst = ((bytes[at + 1] ?? 0) & 0x40) !== 0
    const isPacket = isFirst && start + 9 <= end && bytes.readUIntBE(start, 3) === 1
    if (isPacket && !isAudio(bytes[start + 3] ?? 0)) throw notAccepted('A transport stream with video or data')
    if (isPacket && !streams.has(id)) streams.set(id, [])
    streams.get(id)?.push(bytes.subarray(isPacket ? contentStart(bytes, start) : start, end))
  }
  if (streams.size === 0) throw noAudio()
  return Math.max(longestSeconds(streams.values(), effort), outsideSeconds(bytes, bytes.length - within, effort))
}
