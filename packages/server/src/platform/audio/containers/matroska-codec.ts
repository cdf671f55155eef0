/** The codecs of a track of Matroska, by their names. Source: "Matroska Media Container Codec Specifications". */
import { aacClock, readAacConfig } from '../codecs/aac.ts'
import { ac3Clock } from '../codecs/ac3.ts'
import { alacClock } from '../codecs/alac.ts'
import { boundedSamples } from '../codecs/bounded-rate.ts'
import { flacClock } from '../codecs/flac-frames.ts'
import { mpegClock } from '../codecs/mpeg-audio.ts'
import { opusClock } from '../codecs/opus-clock.ts'
import { byteClock, type PacketClock } from '../codecs/packet-clock.ts'
import { splitXiphHeaders, vorbisClock } from '../codecs/vorbis-clock.ts'
import { readWaveFormat } from '../codecs/wave-codec.ts'
import { type Effort, notAccepted } from '../audio-length.ts'

export interface MatroskaAudio {
  readonly codec: string
  readonly setup: Buffer
  readonly rate: number
  readonly channels: number
  readonly bits: number
}

/** A clock for the packets of a track. @throws {RefusedAudioError} for a codec that is not read here. */
export function matroskaClock(audio: MatroskaAudio, effort: Effort): PacketClock {
  const clock = knownClock(audio, effort)
  if (clock === null) throw notAccepted(`The codec ${audio.codec.replaceAll(/[^\w/]/g, '?').slice(0, 32)}`)
  return clock
}

function knownClock({ codec, setup, rate, channels, bits }: MatroskaAudio, effort: Effort): PacketClock | null {
  if (codec === 'A_OPUS') return opusClock(setup.length >= 10 ? setup.readUInt8(9) : channels)
  if (codec.startsWith('A_AAC')) return readAacConfig(setup) ?? aacClock(rate, channels)
  if (codec === 'A_ALAC') return alacClock(setup)
  if (codec.startsWith('A_MPEG/')) return mpegClock(effort)
  if (codec.startsWith('A_AC3') || codec === 'A_EAC3') return ac3Clock(effort)
  if (codec === 'A_FLAC') return flacClock(setup.subarray(8), effort)
  if (codec === 'A_VORBIS') {
    const [first, , third] = splitXiphHeaders(setup)
    return first === undefined || third === undefined ? null : vorbisClock(first, third)
  }
  if (codec.startsWith('A_PCM/')) {
    const bounded = boundedSamples(rate, channels)
    return byteClock(bounded.rate * bounded.channels * Math.max(Math.ceil((bits || 16) / 8), 1))
  }
  if (codec === 'A_MS/ACM') {
    const measure = readWaveFormat(setup, effort)
    return { secondsOf: measure, bytesPerSecondMost: Infinity }
  }
  return null
}
