import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAudio, type AudioFormat } from '../../../testing/make-audio.ts'
import { makeWav } from '../../../testing/make-wav.ts'
import { createDurationProbe, type DurationProbe } from './duration-probe.ts'
import type { AudioLength } from './audio-length.ts'

let probe: DurationProbe
let folder = ''
beforeAll(() => {
  probe = createDurationProbe()
  folder = mkdtempSync(join(tmpdir(), 'svc-probe-'))
})
afterAll(async () => {
  await probe.close()
  rmSync(folder, { recursive: true })
})

/** Seconds; a word where there are none. */
function told(length: AudioLength): number | string {
  return length.kind === 'measured' ? length.seconds : length.kind
}

async function onDisk(bytes: Buffer): Promise<number | string> {
  const path = join(folder, 'audio')
  writeFileSync(path, bytes)
  const fd = openSync(path, 'r')
  try {
    return told(await probe.measure({ kind: 'disk', fd }, bytes.length))
  } finally {
    closeSync(fd)
  }
}

async function inMemory(bytes: Buffer, by = probe): Promise<number | string> {
  return told(await by.measure({ kind: 'memory', bytes }, bytes.length))
}

const formats: AudioFormat[] = ['wav', 'mp3', 'flac', 'aac', 'm4a', 'ogg', 'webm']

test.each(formats)('a %s of three seconds is measured, in memory and on disk', async (format) => {
  const bytes = await makeAudio(format, 3)
  const seconds = await inMemory(bytes)
  // Encoders pad by up to a frame or two.
  expect(seconds).toBeGreaterThan(2.9)
  expect(seconds).toBeLessThan(3.2)
  expect(await onDisk(bytes)).toBe(seconds)
})

test('frames are walked through: what the first of them says of the whole does not count', async () => {
  const mp3 = await makeAudio('mp3', 2)
  const seconds = await onDisk(Buffer.concat(Array.from({ length: 200 }, () => mp3)))
  expect(seconds).toBeGreaterThan(390)
})

test('a container cannot say that many bytes are no time', async () => {
  const honest = await makeAudio('m4a', 20)
  const lying = Buffer.from(honest)
  // Each sample shall last one tick: `stts` holds pairs of a count and a length.
  const table = lying.indexOf('stts')
  const entries = lying.readUInt32BE(table + 8)
  for (let entry = 0; entry < entries; entry++) lying.writeUInt32BE(1, table + 12 + entry * 8 + 4)
  const long = Buffer.concat([lying, Buffer.alloc(2_000_000)])
  expect(await inMemory(honest)).toBeGreaterThan(19)
  expect(await inMemory(long)).toBeGreaterThan(30)
})

// A header that is broken, or written by an enemy of its sender, must not take a balance.
test('a container cannot say that few bytes are days', async () => {
  const honest = await makeAudio('m4a', 2)
  const lying = Buffer.from(honest)
  const table = lying.indexOf('stts')
  const entries = lying.readUInt32BE(table + 8)
  for (let entry = 0; entry < entries; entry++) lying.writeUInt32BE(100_000_000, table + 12 + entry * 8 + 4)
  expect(await inMemory(lying)).toBeCloseTo(Number(await inMemory(honest)), 0)
})

/** A WAV whose header is written anew: 16-bit samples of one channel. */
function forgedWav(seconds: number, change: (wav: Buffer) => Buffer): Buffer {
  const wav = makeWav(44 + seconds * 32_000)
  wav.writeUInt32LE(16_000, 24)
  wav.writeUInt32LE(32_000, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  return change(wav)
}

test.each([0, 0xff_ff_ff_ff, 0x7f_ff_ff_ff])(
  'a length of %d that a writer did not know is that of the bytes',
  async (length) => {
    const wav = forgedWav(10, (bytes) => {
      bytes.writeUInt32LE(length, 40)
      return bytes
    })
    expect(await inMemory(wav)).toBe(10)
  },
)

test('a WAV with two formats is refused; one behind its samples is not read', async () => {
  const second = (wav: Buffer): Buffer => {
    const format = Buffer.from(wav.subarray(12, 36))
    format.writeUInt32LE(2_000_000_000, 12)
    return format
  }
  expect(
    await inMemory(forgedWav(600, (wav) => Buffer.concat([wav.subarray(0, 36), second(wav), wav.subarray(36)]))),
  ).toBe('refused')
  expect(await inMemory(forgedWav(600, (wav) => Buffer.concat([wav, second(wav)])))).toBe(600)
})

test.each([1, 2_000_000_000])('a WAV of %d samples a second is refused', async (rate) => {
  const wav = forgedWav(2, (bytes) => {
    bytes.writeUInt32LE(rate, 24)
    return bytes
  })
  expect(await inMemory(wav)).toBe('refused')
})

test('a WAV of one byte a sample is measured to the sample', async () => {
  expect(await inMemory(makeWav(8_044))).toBe(1)
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.alloc(1)],
  ['noise', randomBytes(100_000)],
  ['text', Buffer.from('This is no audio. '.repeat(1_000))],
  ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:1/a.ts\n#EXT-X-ENDLIST\n')],
])('%s has no duration', async (_name, bytes) => {
  expect(await inMemory(bytes)).toBe('unknown')
})

test.each([
  ['an AVI', 'RIFF\0\0\0\0AVI LIST'],
  ['a film for Flash', 'FLV\x01\x04\0\0\0\x09'],
  ['WavPack', 'wvpk\0\0\0\0'],
])('%s is refused', async (_name, beginning) => {
  expect(await inMemory(Buffer.concat([Buffer.from(beginning, 'latin1'), Buffer.alloc(1_000)]))).toBe('refused')
})

test('a known container without audio is refused', async () => {
  expect(await inMemory(Buffer.from('RIFF\x10\x00\x00\x00WAVEfmt ', 'latin1'))).toBe('refused')
})

test('a look that takes too long is refused, and the next audio is measured', async () => {
  const hasty = createDurationProbe({ limitMs: 1 })
  const bytes = makeWav(8_044)
  expect(await inMemory(bytes, hasty)).toBe('refused')
  await hasty.close()
  expect(await inMemory(bytes)).toBe(1)
})

test('audio files that wait are measured in turn, up to a limit; a closed probe measures none', async () => {
  const narrow = createDurationProbe({ maxWaiting: 2 })
  const bytes = makeWav(8_044)
  const all = Array.from({ length: 5 }, () => inMemory(bytes, narrow))
  expect(await Promise.all(all)).toEqual([1, 1, 1, 'busy', 'busy'])
  await narrow.close()
  expect(await inMemory(bytes, narrow)).toBe('busy')
})
