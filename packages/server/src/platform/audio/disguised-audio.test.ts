/** Audio that says it is something else: it is measured as decoders hear it, or refused, and never cheaper. */
import { EncodedAudioPacketSource, EncodedPacket, BufferTarget, MkvOutputFormat, Output } from 'mediabunny'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRealDecoder, type RealDecoder } from '../../../testing/decoder/real-decoder.ts'
import { BYTES_PER_SECOND_LEAST } from './codecs/packet-clock.ts'
import { measureDuration } from './measure-duration.ts'

const SECONDS = 12
/** MPEG audio at its lowest rate, of 72 bytes a frame. */
const MP3 = '-ar 8000 -ac 1 -c:a libmp3lame -b:a 8k -id3v2_version 0 -write_xing 0 a.mp3'
const FRAME_BYTES = 72

let decoder: RealDecoder
let mp3: Buffer
beforeAll(async () => {
  decoder = openRealDecoder()
  mp3 = await make(MP3)
})
afterAll(() => decoder.close())

const make = (args: string): Promise<Buffer> => decoder.make(SECONDS, args.split(' '))

/** Seconds that are charged; a word where the file is refused. */
function charged(bytes: Buffer): number | string {
  const length = measureDuration({ kind: 'memory', bytes }, bytes.length)
  if (length.kind === 'measured') return length.seconds
  return length.kind === 'unknown' ? bytes.length / BYTES_PER_SECOND_LEAST : length.kind
}

/** Says whether what is charged for audio of the whole length is what is heard, and little more. */
async function judge(audio: Buffer, most = 1.2): Promise<string> {
  const [heard, seconds] = [await decoder.hear(audio), Number(charged(audio))]
  const isFair = heard > SECONDS - 0.1 && seconds > heard - 0.05 && seconds < heard * most
  return isFair ? 'fair' : `${heard} s are heard, ${seconds} s charged`
}

interface Said {
  readonly magic?: 'RIFF' | 'RF64'
  readonly bits?: number
  readonly isExtensible?: boolean
}

const PCM_ID = Buffer.from('0100000000001000800000aa00389b71', 'hex')

/** A WAV that says that its bytes are PCM of eight channels at 192 kHz: the least time that bytes can be. */
function asPcm(samples: Buffer, { magic = 'RIFF', bits = 16, isExtensible = false }: Said = {}): Buffer {
  const format = Buffer.alloc(isExtensible ? 40 : 16)
  format.writeUInt16LE(isExtensible ? 0xfffe : 1, 0)
  format.writeUInt16LE(8, 2)
  format.writeUInt32LE(192_000, 4)
  format.writeUInt32LE(192_000 * bits, 8)
  format.writeUInt16LE(bits, 12)
  format.writeUInt16LE(bits, 14)
  if (isExtensible) {
    format.writeUInt16LE(22, 16)
    format.writeUInt16LE(bits, 18)
    PCM_ID.copy(format, 24)
  }
  const length = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return bytes
  }
  const sizes = Buffer.alloc(28)
  sizes.writeUInt32LE(samples.length, 8)
  const ds64 = magic === 'RF64' ? [Buffer.from('ds64'), length(28), sizes] : []
  const parts = [Buffer.from('WAVE'), ...ds64, Buffer.from('fmt '), length(format.length), format]
  return Buffer.concat([Buffer.from(magic), length(0), ...parts, Buffer.from('data'), length(samples.length), samples])
}

/** Frames with something between them. */
function spaced(between: Buffer, from: number): Buffer {
  const parts = [mp3.subarray(0, from * FRAME_BYTES)]
  for (let at = from * FRAME_BYTES; at < mp3.length; at += FRAME_BYTES) {
    parts.push(mp3.subarray(at, at + FRAME_BYTES), between)
  }
  return Buffer.concat(parts)
}

test.each([
  MP3,
  '-ar 16000 -ac 1 -b:a 16k a.mp3',
  '-ac 2 -b:a 128k a.mp3',
  '-ac 1 -c:a mp2 -ar 16000 -b:a 8k a.mp2',
  '-ar 48000 -ac 1 -b:a 64k a.ac3',
  '-ar 48000 -ac 1 -b:a 32k a.eac3',
])('samples of a WAV that are called PCM and are "%s" are measured as such', async (args) => {
  const stream = await make(args)
  expect(await judge(asPcm(stream))).toBe('fair')
  expect(await judge(asPcm(stream, { magic: 'RF64' }))).toBe('fair')
  expect(await judge(asPcm(stream, { isExtensible: true }))).toBe('fair')
  expect(await judge(asPcm(Buffer.concat([Buffer.alloc(2_000), stream])))).toBe('fair')
})

test('ADTS that is called PCM is measured whatever the samples shall be', async () => {
  expect(charged(asPcm(await make('-ar 16000 -ac 1 -b:a 16k a.aac')))).toBeGreaterThan(SECONDS)
})

test.each([8, 12, 24, 32])('MPEG audio that is called PCM of %d bits is measured by its frames', (bits) => {
  expect(charged(asPcm(mp3, { bits }))).toBeGreaterThan(SECONDS)
})

test('a Wave64 is looked at like a WAV', async () => {
  const plain = await make('-ar 48000 -ac 8 -c:a pcm_s16le a.w64')
  const lying = Buffer.concat([plain.subarray(0, plain.indexOf('data') + 24), mp3])
  expect(await decoder.hear(lying)).toBeGreaterThan(SECONDS - 0.1)
  expect(charged(lying)).toBeGreaterThan(SECONDS - 0.1)
})

test.each([
  '-ar 48000 -ac 2 -strict -2 -c:a dca -f dts a.dts',
  '-c:a truehd -strict -2 a.thd',
  '-c:a aac -b:a 16k -f latm a.latm',
  '-ar 48000 -ac 1 -c:a ac3 -b:a 64k -f spdif a.spdif',
])('samples that are called PCM and are "%s" are refused', async (args) => {
  expect(charged(asPcm(await make(args)))).toBe('refused')
})

test.each([
  '-ar 8000 -ac 1 -c:a libmp3lame -b:a 8k a.nut',
  '-ac 1 -c:a libopus -b:a 6k a.nut',
  '-ar 8000 -ac 1 -c:a libmp3lame -b:a 8k a.avi',
  '-ar 11025 -ac 1 -c:a libmp3lame -b:a 8k a.flv',
  '-c:a nellymoser -ar 8000 -ac 1 a.flv',
  '-ar 8000 -ac 1 -c:a libmp3lame -b:a 8k a.asf',
  '-ar 16000 -ac 1 -c:a wmav2 -b:a 24k a.wma',
  '-c:a ra_144 -ar 8000 -ac 1 a.rm',
  '-c:a tta a.tta',
  '-c:a wavpack a.wv',
])('a container that no service promises is refused, and the error names what to send: "%s"', async (args) => {
  const bytes = await make(args)
  const length = measureDuration({ kind: 'memory', bytes }, bytes.length)
  expect(length).toMatchObject({ kind: 'refused', reason: expect.stringContaining('flac, mp3, mp4') })
})

test('a container that decoders find behind the head of another is refused', async () => {
  const nut = await make('-ac 1 -c:a libopus -b:a 6k a.nut')
  const frames = mp3.subarray(0, FRAME_BYTES * 10)
  for (const audio of [asPcm(nut), Buffer.concat([frames, nut])]) {
    expect(await decoder.hear(audio)).toBeGreaterThan(SECONDS - 0.1)
    expect(charged(audio)).toBe('refused')
  }
})

test.each([
  '-ar 8000 -ac 1 -c:a libmp3lame -b:a 8k a.ts',
  '-ac 1 -c:a libopus -b:a 6k a.ts',
  '-ac 1 -c:a aac -b:a 16k a.ts',
  '-ar 48000 -ac 1 -c:a ac3 -b:a 32k a.ts',
  '-ar 8000 -ac 1 -c:a libmp3lame -b:a 8k a.mpg',
  '-ar 8000 -ac 1 -c:a libmp3lame -b:a 8k a.mov',
  '-ar 8000 -ac 1 -c:a libmp3lame -b:a 8k a.wav',
  '-ar 8000 -ac 1 -c:a libmp3lame -b:a 8k -f caf a.caf',
  '-ac 1 -c:a libopus -b:a 6k a.ogg',
  '-ac 1 -c:a libopus -b:a 6k a.webm',
  '-ac 1 -c:a libopus -b:a 6k -strict -2 a.mp4',
])('speech at the lowest rate is measured to the frame: "%s"', async (args) => {
  expect(await judge(await make(args), 1.02)).toBe('fair')
})

test('a head of another file before a bare stream makes it no cheaper', async () => {
  for (const head of ['000001ba', '47', '4944 33ff 0000 7f7f 7f7f', '4944 3304 0000 0383 7f7f']) {
    expect(await judge(Buffer.concat([Buffer.from(head.replaceAll(' ', ''), 'hex'), mp3]))).toBe('fair')
  }
})

test('a frame that swallows those behind it does not make the rest cheaper', async () => {
  // Layer II at its highest rate, where the frames that follow begin.
  const [fake, few] = [Buffer.from('ffe5e8c4', 'hex'), mp3.subarray(0, FRAME_BYTES * 40)]
  const audio = Buffer.concat([fake, few])
  expect(charged(audio)).toBeGreaterThan((await decoder.hear(audio)) - 0.05)
})

test('frames between which zeros are do not hide', async () => {
  expect(await judge(spaced(Buffer.alloc(1), 10))).toBe('fair')
  // Without a row of frames the bytes decide.
  expect(charged(spaced(Buffer.alloc(1), 0))).toBeGreaterThan(SECONDS)
})

test.each([
  [
    'begin with a zero',
    (at: number): Buffer => Buffer.concat([Buffer.alloc(1), mp3.subarray(at, at + FRAME_BYTES)]),
    72,
  ],
  ['hold parts of a frame', (at: number): Buffer => mp3.subarray(at, at + 50), 50],
  ['hold parts of a head', (at: number): Buffer => mp3.subarray(at, at + 3), 3],
] as const)('frames whose packets in Matroska %s are heard, and measured', async (_name, packetAt, step) => {
  const target = new BufferTarget()
  const output = new Output({ format: new MkvOutputFormat(), target })
  const source = new EncodedAudioPacketSource('mp3')
  output.addAudioTrack(source)
  await output.start()
  const decoderConfig = { codec: 'mp3', sampleRate: 8_000, numberOfChannels: 1 }
  for (let at = 0; at < mp3.length; at += step) {
    await source.add(new EncodedPacket(packetAt(at), 'key', at / 1_000, 0.072), { decoderConfig })
  }
  await output.finalize()
  expect(await judge(Buffer.from(target.buffer ?? new ArrayBuffer(0)), 1.02)).toBe('fair')
})

test('a wave with a period is no stream, whatever its bytes look like', () => {
  // Each period of 96 bytes begins like a frame of as many.
  const period = Buffer.alloc(96, 0x21)
  Buffer.from('fff324c4', 'hex').copy(period)
  const wave = Buffer.concat(Array.from({ length: 20_000 }, () => period))
  expect(charged(asPcm(wave))).toBe(wave.length / (192_000 * 16))
})

// What people send keeps its price to the millisecond.
test.each([
  ['-ar 8000 -ac 1 -c:a pcm_u8 a.wav', SECONDS],
  ['-ar 16000 -ac 1 a.wav', SECONDS],
  ['-ar 44100 -ac 2 a.wav', SECONDS],
  ['-ar 48000 -ac 2 -c:a pcm_s24le a.wav', SECONDS],
  ['-ar 48000 -ac 1 -c:a pcm_s32le a.wav', SECONDS],
  ['-ar 48000 -ac 1 -c:a pcm_f32le a.wav', SECONDS],
  ['-ar 44100 -b:a 128k a.mp3', SECONDS],
  ['-ar 44100 -q:a 4 a.mp3', SECONDS],
  ['-ar 16000 -ac 1 -b:a 32k a.mp3', SECONDS],
  ['-ar 48000 -b:a 64k a.m4a', SECONDS],
  ['-c:a libopus -b:a 24k a.ogg', SECONDS],
  ['-c:a libopus -b:a 24k a.webm', SECONDS],
  ['-ar 44100 a.flac', SECONDS],
])('"%s" is charged as %d seconds', async (args, seconds) => {
  const measured = Number(charged(await make(args)))
  expect(Math.abs(measured - seconds)).toBeLessThan(args.endsWith('m4a') ? 0.05 : 0.005)
})

test('tags behind a file of MPEG audio are no time, as far as they look like no frames', async () => {
  const honest = await make('-ar 44100 -b:a 128k -write_id3v1 1 a.mp3')
  expect(charged(Buffer.concat([honest, Buffer.alloc(60_000, 'APETAGEX text of a tag ')]))).toBe(charged(honest))
})
