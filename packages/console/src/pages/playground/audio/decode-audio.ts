/** What an audio file looks like and how long it is, found out in this browser. */

export interface AudioShape {
  /** Seconds. */
  readonly duration: number
  /** The loudest of each part, from 0 to 1. */
  readonly peaks: readonly number[]
}

/** Parts that an audio file is drawn in. */
const PARTS = 120
/** Longer files would fill the memory when they are decoded: an hour of stereo is more than a gigabyte. */
const DECODED_BYTES_MAX = 15_000_000

/** Null where the browser cannot read it. */
export async function decodeAudio(blob: Blob): Promise<AudioShape | null> {
  if (blob.size > DECODED_BYTES_MAX) return null
  // Without a device: nothing is played, so no click is needed before.
  const context = new OfflineAudioContext(1, 1, 44_100)
  try {
    const audio = await context.decodeAudioData(await blob.arrayBuffer())
    return { duration: audio.duration, peaks: peaksOf(audio.getChannelData(0)) }
  } catch {
    return null
  }
}

/** @param samples from -1 to 1. */
export function peaksOf(samples: Float32Array): readonly number[] {
  const step = Math.max(1, Math.ceil(samples.length / PARTS))
  const peaks: number[] = []
  for (let from = 0; from < samples.length; from += step) {
    let peak = 0
    const end = Math.min(samples.length, from + step)
    for (let at = from; at < end; at += 1) peak = Math.max(peak, Math.abs(samples[at] ?? 0))
    peaks.push(peak)
  }
  const loudest = Math.max(...peaks, 0.01)
  return peaks.map((peak) => peak / loudest)
}

const PCM_RATE = 24_000

/** Audio without a head gets one, so that it can be played. @param contentType as the gateway sent it. */
export function playable(bytes: readonly Uint8Array<ArrayBuffer>[], contentType: string): Blob {
  const [type = ''] = contentType.split(';')
  if (type !== 'audio/pcm') return new Blob([...bytes], { type })
  const rate = Number(/rate=(\d+)/.exec(contentType)?.[1] ?? PCM_RATE)
  const length = bytes.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return new Blob([wavHead(rate, length), ...bytes], { type: 'audio/wav' })
}

/** 16 bits, one channel. Source: RFC 2361 and the WAVE form of Microsoft. */
function wavHead(rate: number, length: number): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(44))
  const text = (at: number, letters: string): void => {
    for (const [offset, letter] of [...letters].entries()) view.setUint8(at + offset, letter.codePointAt(0) ?? 0)
  }
  text(0, 'RIFF')
  view.setUint32(4, 36 + length, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, length, true)
  return view.buffer
}
