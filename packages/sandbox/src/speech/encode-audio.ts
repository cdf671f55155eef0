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
  OggOutputFormat,
  Output,
  type OutputFormat,
} from 'mediabunny'
import type { Audio } from './speak.ts'
import { loadOpus } from './opus-codec.ts'
import { resample } from './resample.ts'
import type { SpeechFormat } from './speech-job.ts'

const BITRATE = 64_000
/** Opus knows these rates alone, and frames of 20 ms. Source: RFC 6716, section 2. */
const OPUS_RATE = 48_000
const OPUS_FRAME = 960
/** Samples that a decoder drops at the start. Source: RFC 7845, section 4.2. */
const OPUS_PRESKIP = 312

/** Writes audio of 24,000 samples a second as a file, or for `pcm` as 16-bit samples alone, little end first. */
export async function encodeAudio(audio: Audio, format: SpeechFormat): Promise<Uint8Array> {
  switch (format) {
    case 'pcm':
      return pcmOf(audio.samples)
    case 'wav':
      return wavOf(audio)
    case 'opus':
      return encodeOpus(audio)
    case 'mp3': {
      const { registerMp3Encoder } = await import('@mediabunny/mp3-encoder')
      return encodeWith(audio, { format: new Mp3OutputFormat(), codec: 'mp3', register: registerMp3Encoder })
    }
    case 'aac': {
      const { registerAacEncoder } = await import('@mediabunny/aac-encoder')
      return encodeWith(audio, { format: new AdtsOutputFormat(), codec: 'aac', register: registerAacEncoder })
    }
    case 'flac': {
      const { registerFlacEncoder } = await import('@mediabunny/flac-encoder')
      return encodeWith(audio, { format: new FlacOutputFormat(), codec: 'flac', register: registerFlacEncoder })
    }
  }
}

function pcmOf(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < samples.length; at += 1) {
    view.setInt16(at * 2, Math.max(-32_768, Math.min(32_767, Math.round((samples[at] ?? 0) * 32_767))), true)
  }
  return bytes
}

/** Source: Microsoft, "Multimedia Programming Interface and Data Specifications 1.0" (RIFF WAVE). */
function wavOf({ samples, rate }: Audio): Uint8Array {
  const data = pcmOf(samples)
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + data.length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(data.length, 40)
  return new Uint8Array(Buffer.concat([header, data]))
}

interface Encoding {
  readonly format: OutputFormat
  readonly codec: AudioCodec
  readonly register: () => void
}

const registered = new Set<AudioCodec>()

async function encodeWith({ samples, rate }: Audio, { format, codec, register }: Encoding): Promise<Uint8Array> {
  if (!registered.has(codec)) register()
  registered.add(codec)
  const target = new BufferTarget()
  const output = new Output({ format, target })
  const source = new AudioSampleSource({ codec, bitrate: BITRATE })
  output.addAudioTrack(source)
  await output.start()
  const data = new Float32Array(samples)
  const sample = new AudioSample({ data, format: 'f32', numberOfChannels: 1, sampleRate: rate, timestamp: 0 })
  await source.add(sample)
  sample.close()
  await output.finalize()
  return new Uint8Array(target.buffer ?? new ArrayBuffer(0))
}

async function encodeOpus(audio: Audio): Promise<Uint8Array> {
  const { Encoder } = await loadOpus()
  const samples = resample(audio.samples, audio.rate, OPUS_RATE)
  const encoder = new Encoder({ channels: 1, sample_rate: OPUS_RATE, application: 'voip' })
  const head = Buffer.alloc(19)
  head.write('OpusHead', 0, 'latin1')
  head.writeUInt8(1, 8)
  head.writeUInt8(1, 9)
  head.writeUInt16LE(OPUS_PRESKIP, 10)
  head.writeUInt32LE(OPUS_RATE, 12)
  const target = new BufferTarget()
  const output = new Output({ format: new OggOutputFormat(), target })
  const source = new EncodedAudioPacketSource('opus')
  output.addAudioTrack(source)
  await output.start()
  const decoderConfig = { codec: 'opus', numberOfChannels: 1, sampleRate: OPUS_RATE, description: head }
  const seconds = OPUS_FRAME / OPUS_RATE
  for (let start = 0; start < samples.length; start += OPUS_FRAME) {
    const frame = new Int16Array(OPUS_FRAME)
    for (let at = 0; at < OPUS_FRAME; at += 1) frame[at] = Math.round((samples[start + at] ?? 0) * 32_767)
    const packet = new EncodedPacket(
      Uint8Array.from(encoder.encode(frame)),
      'key',
      (start / OPUS_FRAME) * seconds,
      seconds,
    )
    await source.add(packet, { decoderConfig })
  }
  await output.finalize()
  return new Uint8Array(target.buffer ?? new ArrayBuffer(0))
}
