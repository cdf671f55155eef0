import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  MkvOutputFormat,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRealDecoder, type RealDecoder } from '../../../testing/decoder/real-decoder.ts'
import { measureDuration } from './measure-duration.ts'

let decoder: RealDecoder
beforeAll(() => {
  decoder = openRealDecoder()
})
afterAll(() => decoder.close())

const SECONDS = 3.37

function measured(bytes: Buffer): number | string {
  const length = measureDuration({ kind: 'memory', bytes }, bytes.length)
  return length.kind === 'measured' ? length.seconds : length.kind
}

test.each([
  ...['a.wav', '-c:a pcm_s24le a.wav', '-c:a pcm_alaw a.wav', '-c:a adpcm_ima_wav a.wav', '-c:a adpcm_ms a.wav'],
  ...['-c:a libmp3lame a.wav', '-rf64 always a.wav', 'a.w64', 'a.aiff', '-c:a pcm_alaw a.aifc', 'a.au', 'a.caf'],
  ...['-c:a alac a.caf', 'a.mp3', '-q:a 5 a.mp3', 'a.mp2', 'a.aac', 'a.ac3', 'a.eac3', 'a.flac'],
  ...['-c:a libvorbis a.ogg', '-c:a libopus a.ogg', '-c:a libopus a.opus', '-c:a flac a.ogg'],
  ...['a.m4a', '-c:a alac a.m4a', '-c:a libmp3lame a.mp4', '-c:a libopus -strict -2 a.mp4', '-c:a pcm_s16le a.mov'],
  ...['-c:a aac -movflags frag_keyframe+empty_moov -frag_duration 500000 a.mp4', '-c:a adpcm_ima_qt a.mov'],
  ...['-c:a libopus a.webm', '-c:a libvorbis a.webm', '-c:a libopus -live 1 a.webm', '-c:a aac a.mkv'],
  ...['-c:a pcm_s16le a.mkv', '-c:a libmp3lame a.mkv', '-c:a aac a.ts', '-c:a mp2 a.mpg', '-c:a ac3 a.vob'],
])('a decoder hears of "%s" as much as is measured', async (args) => {
  const audio = await decoder.make(SECONDS, args.split(' '))
  const heard = await decoder.hear(audio)
  expect(heard).toBeGreaterThan(SECONDS - 0.05)
  expect(measured(audio)).toBeGreaterThan(heard - 0.01)
  expect(measured(audio)).toBeLessThan(heard + 0.05)
})

/** The frames of a bare stream of AAC. */
function adtsFrames(aac: Buffer): readonly Buffer[] {
  const frames: Buffer[] = []
  for (let at = 0; at < aac.length; at += frames.at(-1)?.length ?? aac.length) {
    frames.push(aac.subarray(at, at + ((aac.readUIntBE(at + 3, 3) >> 5) & 0x1fff)))
  }
  return frames
}

const ADTS_HEAD_BYTES = 7

/** One frame with the blocks of several, as its header says. Source: ISO/IEC 13818-7, section 6.2. */
function joinBlocks(frames: readonly Buffer[]): Buffer {
  const joined = Buffer.concat(frames.map((frame, index) => (index === 0 ? frame : frame.subarray(ADTS_HEAD_BYTES))))
  joined.writeUIntBE((joined.readUIntBE(3, 3) & 0xfc_00_1f) | (joined.length << 5), 3, 3)
  joined.writeUInt8((joined.readUInt8(6) & 0xfc) | (frames.length - 1), 6)
  return joined
}

test.each([2, 3, 4])('a frame of AAC with %d blocks is heard and measured as so many', async (count) => {
  const frames = adtsFrames(await decoder.make(SECONDS, ['-b:a', '24k', 'a.aac']))
  const groups = Array.from({ length: Math.floor(frames.length / count) }, (_, at) =>
    joinBlocks(frames.slice(at * count, (at + 1) * count)),
  )
  const audio = Buffer.concat(groups)
  const heard = await decoder.hear(audio)
  expect(heard).toBeGreaterThan(SECONDS - 0.2)
  expect(Math.abs(Number(measured(audio)) - heard)).toBeLessThan(0.01)
})

/** Surround audio of eight channels, as a configuration claims it. */
const CONFIGURED_CHANNELS = 8
/** Two channels of 6,144 bits: as many bytes as one frame is believed to have. */
const FRAME_BYTES_MOST = 1_536

test.each(['mp4', 'mkv'] as const)(
  'frames of AAC that a packet of %s hides are heard, and measured as what their bytes must be at least',
  async (container) => {
    // Packets that no writer makes may break it for what comes next.
    const own = openRealDecoder()
    const aac = await own.make(SECONDS * 3, ['-ac', '1', '-ar', '44100', '-b:a', '24k', 'a.aac'])
    const frames = adtsFrames(aac).map((frame) => frame.subarray(ADTS_HEAD_BYTES))
    const audio = await packAac(container, frames, 60)
    const heard = await own.hear(audio)
    expect(heard).toBeGreaterThan(SECONDS * 2)
    const bytes = frames.reduce((sum, frame) => sum + frame.length, 0)
    const shareOfMost = bytes / frames.length / FRAME_BYTES_MOST
    expect(Number(measured(audio))).toBeGreaterThan(heard * shareOfMost * 0.95)
    expect(Number(measured(await packAac(container, frames, 1)))).toBeGreaterThan(heard - 0.01)
    await own.close()
  },
)

/** Puts so many frames into each packet, with a configuration of eight channels at 44.1 kHz. */
async function packAac(container: 'mp4' | 'mkv', frames: readonly Buffer[], count: number): Promise<Buffer> {
  const target = new BufferTarget()
  const output = new Output({ format: container === 'mp4' ? new Mp4OutputFormat() : new MkvOutputFormat(), target })
  const source = new EncodedAudioPacketSource('aac')
  output.addAudioTrack(source)
  await output.start()
  // AAC-LC, the fifth rate, the seventh configuration of channels. Source: ISO/IEC 14496-3, section 1.6.2.1.
  const description = Buffer.from('1238', 'hex')
  const [sampleRate, numberOfChannels] = [44_100, CONFIGURED_CHANNELS]
  const decoderConfig = { codec: 'mp4a.40.2', sampleRate, numberOfChannels, description }
  for (let at = 0; at + count <= frames.length; at += count) {
    const start = ((at / count) * 1_024) / sampleRate
    const packet = new EncodedPacket(Buffer.concat(frames.slice(at, at + count)), 'key', start, 1_024 / sampleRate)
    await source.add(packet, { decoderConfig })
  }
  await output.finalize()
  return Buffer.from(target.buffer ?? new ArrayBuffer(0))
}

const CLUSTER = Buffer.from('1f43b675', 'hex')
const SIMPLE_BLOCK = 0xa3

/** Places of the first block of each cluster. */
function blocksOf(audio: Buffer): readonly number[] {
  const places: number[] = []
  for (let at = audio.indexOf(CLUSTER); at >= 0; at = audio.indexOf(CLUSTER, at + 4)) {
    places.push(audio.indexOf(SIMPLE_BLOCK, at + 8))
  }
  return places
}

// A decoder goes on at the next cluster, whatever the damaged size says.
test.each(['-c:a libopus a.webm', '-c:a aac a.mkv', '-c:a libmp3lame a.mkv'])(
  'a block whose size goes beyond its cluster hides none of the next from "%s"',
  async (args) => {
    const whole = await decoder.make(6, ['-b:a', '64k', '-cluster_time_limit', '1000', ...args.split(' ')])
    const blocks = blocksOf(whole)
    expect(blocks.length).toBeGreaterThan(4)
    const damaged = Buffer.from(whole)
    // A size of two bytes: up to 16,383.
    for (const at of [blocks[1]!, blocks[3]!]) damaged.writeUInt16BE(0x7f_f0, at + 1)
    const heard = await decoder.hear(damaged)
    expect(heard).toBeGreaterThan(2)
    expect(measured(damaged)).toBeGreaterThan(heard - 0.05)
  },
)
