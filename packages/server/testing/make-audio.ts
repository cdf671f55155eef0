/** Real audio files for tests: a tone of so many seconds in the formats that people upload. */
import { Encoder } from '@evan/opus'
import { registerAacEncoder } from '@mediabunny/aac-encoder'
import { registerFlacEncoder } from '@mediabunny/flac-encoder'
import { registerMp3Encoder } from '@mediabunny/mp3-encoder'
import {
  AdtsOutputFormat,
  type AudioCodec,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  FlacOutputFormat,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  WavOutputFormat,
  WebMOutputFormat,
} from 'mediabunny'

const RATE = 24_000
const OPUS_RATE = 48_000
const OPUS_FRAME = 960

export type AudioFormat = 'wav' | 'mp3' | 'flac' | 'aac' | 'm4a' | 'ogg' | 'webm'

const sampled: Partial<Record<AudioFormat, { readonly container: () => OutputFormat; readonly codec: AudioCodec }>> = {
  wav: { container: () => new WavOutputFormat(), codec: 'pcm-s16' },
  mp3: { container: () => new Mp3OutputFormat(), codec: 'mp3' },
  flac: { container: () => new FlacOutputFormat(), codec: 'flac' },
  aac: { container: () => new AdtsOutputFormat(), codec: 'aac' },
  m4a: { container: () => new Mp4OutputFormat(), codec: 'aac' },
}

function tone(seconds: number, rate: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: Math.round(seconds * rate) }, (_, index) => 0.3 * Math.sin(index * 0.1))
}

function bytesOf(target: BufferTarget): Buffer {
  return Buffer.from(target.buffer ?? new ArrayBuffer(0))
}

async function encodeOpus(container: OutputFormat, seconds: number): Promise<Buffer> {
  const target = new BufferTarget()
  const output = new Output({ format: container, target })
  const source = new EncodedAudioPacketSource('opus')
  output.addAudioTrack(source)
  await output.start()
  const encoder = new Encoder({ channels: 1, sample_rate: OPUS_RATE, application: 'voip' })
  const pcm = Int16Array.from(tone(seconds, OPUS_RATE), (sample) => sample * 32_767)
  const head = Buffer.alloc(19)
  head.write('OpusHead', 0, 'latin1')
  head.writeUInt8(1, 8)
  head.writeUInt8(1, 9)
  head.writeUInt32LE(OPUS_RATE, 12)
  const decoderConfig = { codec: 'opus', numberOfChannels: 1, sampleRate: OPUS_RATE, description: head }
  for (let start = 0; start + OPUS_FRAME <= pcm.length; start += OPUS_FRAME) {
    const frame = encoder.encode(new Uint8Array(pcm.slice(start, start + OPUS_FRAME).buffer))
    const packet = new EncodedPacket(frame, 'key', start / OPUS_RATE, OPUS_FRAME / OPUS_RATE)
    await source.add(packet, { decoderConfig })
  }
  await output.finalize()
  return bytesOf(target)
}

/** Makes a tone. Encoders pad: a file may last a little longer than was asked. */
export async function makeAudio(format: AudioFormat, seconds: number): Promise<Buffer> {
  if (format === 'ogg') return encodeOpus(new OggOutputFormat(), seconds)
  if (format === 'webm') return encodeOpus(new WebMOutputFormat(), seconds)
  registerMp3Encoder()
  registerFlacEncoder()
  registerAacEncoder()
  const kind = sampled[format]
  if (kind === undefined) throw new Error(`no encoder makes ${format} here`)
  const target = new BufferTarget()
  const output = new Output({ format: kind.container(), target })
  const source = new AudioSampleSource({ codec: kind.codec, bitrate: 64_000 })
  output.addAudioTrack(source)
  await output.start()
  const data = tone(seconds, RATE)
  const sample = new AudioSample({ data, format: 'f32', numberOfChannels: 1, sampleRate: RATE, timestamp: 0 })
  await source.add(sample)
  sample.close()
  await output.finalize()
  return bytesOf(target)
}
