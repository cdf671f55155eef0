import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSound, type SoundFormat } from '../../testing/make-sound.ts'
import { makeWav } from '../../testing/make-wav.ts'
import { createDurationProbe, type DurationProbe } from './duration-probe.ts'

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

async function onDisk(bytes: Buffer): Promise<number | null> {
  const path = join(folder, 'sound')
  writeFileSync(path, bytes)
  const fd = openSync(path, 'r')
  try {
    return await probe.measure({ kind: 'disk', fd }, bytes.length)
  } finally {
    closeSync(fd)
  }
}

function inMemory(bytes: Buffer): Promise<number | null> {
  return probe.measure({ kind: 'memory', bytes }, bytes.length)
}

const formats: SoundFormat[] = ['wav', 'mp3', 'flac', 'aac', 'm4a', 'ogg', 'webm']

test.each(formats)('a %s of three seconds is measured, in memory and on disk', async (format) => {
  const bytes = await makeSound(format, 3)
  const seconds = await inMemory(bytes)
  // Encoders pad by up to a frame or two.
  expect(seconds).toBeGreaterThan(2.9)
  expect(seconds).toBeLessThan(3.2)
  expect(await onDisk(bytes)).toBe(seconds)
})

test('frames are walked through: what the first of them says of the whole does not count', async () => {
  const mp3 = await makeSound('mp3', 2)
  const seconds = await onDisk(Buffer.concat(Array.from({ length: 200 }, () => mp3)))
  expect(seconds).toBeGreaterThan(390)
})

test('a container cannot say that many bytes are no time', async () => {
  const honest = await makeSound('m4a', 20)
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
  expect(await inMemory(makeWav(8_044, 1))).toBe(8.044)
  const lying = await makeSound('m4a', 2)
  const table = lying.indexOf('stts')
  const entries = lying.readUInt32BE(table + 8)
  for (let entry = 0; entry < entries; entry++) lying.writeUInt32BE(100_000_000, table + 12 + entry * 8 + 4)
  expect(await inMemory(lying)).toBe(lying.length / 16)
})

test('a WAV of one byte a sample is measured to the sample', async () => {
  expect(await inMemory(makeWav(8_044))).toBe(1)
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.alloc(1)],
  ['noise', randomBytes(100_000)],
  ['text', Buffer.from('This is no sound. '.repeat(1_000))],
  ['half a header', Buffer.from('RIFF\x10\x00\x00\x00WAVEfmt ', 'latin1')],
  ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:1/a.ts\n#EXT-X-ENDLIST\n')],
])('%s has no duration', async (_name, bytes) => {
  expect(await inMemory(bytes)).toBeNull()
})

test('a look that takes too long is given up, and the next sound is measured', async () => {
  const hasty = createDurationProbe({ limitMs: 1 })
  const bytes = makeWav(8_044)
  expect(await hasty.measure({ kind: 'memory', bytes }, bytes.length)).toBeNull()
  await hasty.close()
  expect(await inMemory(bytes)).toBe(1)
})

test('sounds that wait are measured in turn, up to a limit; a closed probe measures none', async () => {
  const narrow = createDurationProbe({ maxWaiting: 2 })
  const bytes = makeWav(8_044)
  const all = Array.from({ length: 5 }, () => narrow.measure({ kind: 'memory', bytes }, bytes.length))
  expect(await Promise.all(all)).toEqual([1, 1, 1, null, null])
  await narrow.close()
  expect(await narrow.measure({ kind: 'memory', bytes }, bytes.length)).toBeNull()
})
