import { ALL_FORMATS, AudioSampleSink, BufferSource, EncodedPacketSink, Input, type InputAudioTrack } from 'mediabunny'
import { SandboxError } from '../sandbox-error.ts'
import { loadOpus } from '../speech/opus-codec.ts'
import { resample } from '../speech/resample.ts'

/** Samples a second that the recognisers were made for. */
export const LISTEN_RATE = 16_000
/** Longest audio that is read, in seconds: reading takes about as long as hearing. Source: own choice. */
export const LISTEN_SECONDS_MAX = 180

interface Channels {
  readonly channels: readonly Float32Array[]
  readonly rate: number
}

/**
 * Reads an audio file: WAV, MP3, FLAC, Ogg with Vorbis or Opus, and WebM with Opus.
 * @returns one channel of 16,000 samples a second.
 * @throws {SandboxError} 400 for anything else, and for audio that is too long or empty.
 */
export async function decodeAudio(file: Uint8Array): Promise<Float32Array> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(file) })
  const track = await openTrack(input)
  const seconds = await input.computeDuration().catch(() => 0)
  if (seconds > LISTEN_SECONDS_MAX) {
    const message = `The sandbox reads audio of up to ${LISTEN_SECONDS_MAX} seconds; this has ${Math.ceil(seconds)}.`
    throw new SandboxError(400, 'invalid_request', message)
  }
  const { channels, rate } = await decodeTrack(track, file).catch((error: unknown) => {
    if (error instanceof SandboxError) throw error
    throw unreadable('The file is damaged.')
  })
  const length = Math.min(channels[0]?.length ?? 0, LISTEN_SECONDS_MAX * rate)
  if (length === 0) throw unreadable('The file holds no audio.')
  return resample(mixDown(channels, length), rate, LISTEN_RATE)
}

async function openTrack(input: Input): Promise<InputAudioTrack> {
  const track = await input.getPrimaryAudioTrack().catch(() => null)
  if (track === null) throw unreadable('The file is no audio in a format that the sandbox knows.')
  return track
}

function unreadable(message: string): SandboxError {
  return new SandboxError(400, 'invalid_request', `${message} It reads wav, mp3, flac, ogg, and webm with Opus.`)
}

async function decodeTrack(track: InputAudioTrack, file: Uint8Array): Promise<Channels> {
  const { codec } = track
  if (codec === null) throw unreadable('The codec of the file is not known.')
  if (codec.startsWith('pcm-') || codec === 'ulaw' || codec === 'alaw') return decodeSamples(track)
  switch (codec) {
    case 'mp3': {
      const { MPEGDecoder } = await import('mpg123-decoder')
      return decodeWhole(new MPEGDecoder(), (decoder) => Promise.resolve(decoder.decode(file)))
    }
    case 'flac': {
      const { FLACDecoder } = await import('@wasm-audio-decoders/flac')
      return decodeWhole(new FLACDecoder(), (decoder) => decoder.decodeFile(file))
    }
    case 'vorbis': {
      const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis')
      return decodeWhole(new OggVorbisDecoder(), (decoder) => decoder.decodeFile(file))
    }
    case 'opus':
      return decodeOpus(track)
    default:
      throw unreadable(`The sandbox cannot read ${codec}, which is what m4a and mp4 files hold.`)
  }
}

interface WholeDecoder {
  readonly ready: Promise<unknown>
  free(): void
}

interface Decoded {
  readonly channelData: readonly Float32Array[]
  readonly sampleRate: number
}

async function decodeWhole<Decoder extends WholeDecoder>(
  decoder: Decoder,
  decode: (decoder: Decoder) => Promise<Decoded>,
): Promise<Channels> {
  await decoder.ready
  try {
    const { channelData, sampleRate } = await decode(decoder)
    return { channels: channelData, rate: sampleRate }
  } finally {
    decoder.free()
  }
}

async function decodeSamples(track: InputAudioTrack): Promise<Channels> {
  const pieces: Float32Array[] = []
  for await (const sample of new AudioSampleSink(track).samples()) {
    const options = { planeIndex: 0, format: 'f32' } as const
    const interleaved = new Float32Array(sample.allocationSize(options) / 4)
    sample.copyTo(interleaved, options)
    pieces.push(firstOf(interleaved, sample.numberOfChannels))
    sample.close()
  }
  return { channels: [joined(pieces)], rate: track.sampleRate }
}

/** The mean of all channels. */
function firstOf(interleaved: Float32Array, count: number): Float32Array {
  if (count === 1) return interleaved
  const mixed = new Float32Array(Math.floor(interleaved.length / count))
  for (let at = 0; at < mixed.length; at += 1) {
    let sum = 0
    for (let channel = 0; channel < count; channel += 1) sum += interleaved[at * count + channel] ?? 0
    mixed[at] = sum / count
  }
  return mixed
}

async function decodeOpus(track: InputAudioTrack): Promise<Channels> {
  const { Decoder } = await loadOpus()
  const decoder = new Decoder({ channels: 1, sample_rate: LISTEN_RATE })
  const pieces: Float32Array[] = []
  for await (const packet of new EncodedPacketSink(track).packets()) {
    const bytes = decoder.decode(packet.data)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    pieces.push(Float32Array.from({ length: bytes.byteLength >> 1 }, (_, at) => view.getInt16(at * 2, true) / 32_768))
  }
  return { channels: [joined(pieces)], rate: LISTEN_RATE }
}

function joined(pieces: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function mixDown(channels: readonly Float32Array[], length: number): Float32Array {
  const [first] = channels
  if (channels.length === 1 && first !== undefined) return first.subarray(0, length)
  const mixed = new Float32Array(length)
  for (const channel of channels) {
    for (let at = 0; at < length; at += 1) mixed[at] = (mixed[at] ?? 0) + (channel[at] ?? 0) / channels.length
  }
  return mixed
}
