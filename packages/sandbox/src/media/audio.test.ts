import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusalOf, send, startMediaSandbox } from '../../testing/media-client.ts'
import { findRecogniser } from '../find-recogniser.ts'
import type { Sandbox } from '../sandbox-server.ts'

const TEXT = 'The weather is very nice today. We are going to the park with our dog.'

let sandbox: Sandbox
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-'))
  sandbox = await startMediaSandbox({ cacheFolder: folder })
})
afterAll(async () => {
  await sandbox.close()
  await rm(folder, { recursive: true })
})

async function speak(change: object = {}): Promise<Response> {
  const answer = await send(sandbox, '/audio/speech', {
    model: 'test/speech',
    input: TEXT,
    response_format: 'wav',
    ...change,
  })
  expect(answer.status).toBe(200)
  return answer
}

async function audioOf(change: object = {}): Promise<Buffer> {
  return Buffer.from(await (await speak(change)).arrayBuffer())
}

async function look(file: Buffer) {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(file) })
  const track = await input.getPrimaryAudioTrack()
  return { codec: track?.codec, rate: track?.sampleRate, seconds: await input.computeDuration() }
}

/** Loudness of 16-bit samples, from 0 to 1. */
function loudness(samples: Buffer): number {
  let sum = 0
  for (let at = 0; at + 1 < samples.length; at += 2) sum += (samples.readInt16LE(at) / 32_768) ** 2
  return Math.sqrt((sum * 2) / samples.length)
}

describe('speech', () => {
  test.each([
    ['mp3', 'audio/mpeg', 'mp3', 24_000],
    ['opus', 'audio/opus', 'opus', 48_000],
    ['aac', 'audio/aac', 'aac', 24_000],
    ['flac', 'audio/flac', 'flac', 24_000],
    ['wav', 'audio/wav', 'pcm-s16', 24_000],
  ])('comes as %s, which can be read and has the same length', async (format, type, codec, rate) => {
    const answer = await speak({ response_format: format })
    expect(answer.headers.get('content-type')).toBe(type)
    const found = await look(Buffer.from(await answer.arrayBuffer()))
    expect(found).toMatchObject({ codec, rate })
    expect(found.seconds).toBeGreaterThan(3)
    expect(found.seconds).toBeLessThan(7)
  })

  test('comes as bare samples that can be heard, also where the request names no format', async () => {
    const answer = await speak({ response_format: undefined })
    expect(answer.headers.get('content-type')).toBe('audio/pcm;rate=24000;channels=1')
    const samples = Buffer.from(await answer.arrayBuffer())
    expect(loudness(samples)).toBeGreaterThan(0.02)
    expect(samples.length / 48_000).toBeGreaterThan(3)
  })

  test('sounds the same each time, and otherwise in another voice and at another speed', async () => {
    const [once, again, other, fast] = [
      await audioOf({ voice: 'nova' }),
      await audioOf({ voice: 'nova' }),
      await audioOf({ voice: 'onyx' }),
      await audioOf({ voice: 'nova', speed: 2 }),
    ]
    expect(once.equals(again)).toBe(true)
    expect(once.equals(other)).toBe(false)
    expect(fast.length / once.length).toBeGreaterThan(0.4)
    expect(fast.length / once.length).toBeLessThan(0.65)
  })

  test('costs by the character, which the look-up reports', async () => {
    const { headers } = await speak({ input: 'Hello, wörld' })
    const generation = await (await send(sandbox, `/generation?id=${headers.get('x-generation-id')}`, null)).json()
    expect(generation).toMatchObject({ data: { total_cost: 0.12 } })
  })

  test.each([
    ['こんにちは世界'],
    ['Привет'],
    ['Hello 世界'],
    ['...!?'],
    [' '],
    ['x'.repeat(4_097)],
    ['0'.repeat(4_096)],
  ])('of %s is refused', async (input) => {
    const body = { model: 'test/speech', input }
    expect(await refusalOf(await send(sandbox, '/audio/speech', body))).toEqual([400, 'invalid_request'])
  })

  test('reads no text as an option of the program, and accents as letters', async () => {
    expect((await audioOf({ input: '--help' })).length).toBeGreaterThan(10_000)
    expect((await audioOf({ input: '-voice list; Café naïve, Straße 🎉' })).length).toBeGreaterThan(30_000)
  })

  test.each([[{ speed: 0.2 }], [{ speed: 5 }], [{ response_format: 'midi' }]])('%j is refused', async (change) => {
    const body = { model: 'test/speech', input: TEXT, ...change }
    expect(await refusalOf(await send(sandbox, '/audio/speech', body))).toEqual([400, 'invalid_request'])
  })
})

interface Heard {
  readonly text: string
  readonly duration: number
  readonly segments: readonly { readonly start: number; readonly end: number; readonly text: string }[]
  readonly words: readonly { readonly word: string; readonly start: number; readonly end: number }[]
  readonly usage: { readonly seconds: number; readonly cost?: number }
}

async function hear(
  file: Buffer,
  fields: readonly (readonly [string, string])[] = [],
  where = sandbox,
): Promise<Heard> {
  const form = new FormData()
  form.set('model', 'test/transcription')
  for (const [name, value] of fields) form.append(name, value)
  form.set('file', new Blob([new Uint8Array(file)]), 'speech')
  const answer = await send(where, '/audio/transcriptions', form)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Heard
}

const verbose = [
  ['response_format', 'verbose_json'],
  ['timestamp_granularities[]', 'word'],
  ['timestamp_granularities[]', 'segment'],
] as const
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z']+/g) ?? []

/** Words of the text that were heard, as a part of all. */
function rightPart(text: string): number {
  const heard = wordsOf(text)
  const right = wordsOf(TEXT).filter((word) => {
    const place = heard.indexOf(word)
    if (place >= 0) heard.splice(place, 1)
    return place >= 0
  })
  return right.length / wordsOf(TEXT).length
}

// Loading what hears takes seconds.
describe('a transcript', { timeout: 300_000 }, () => {
  test('has most of the words that were spoken, and when', async () => {
    const heard = await hear(await audioOf({ voice: 'alloy' }), verbose)
    const { text, words, duration, usage, segments } = heard
    expect(rightPart(text)).toBeGreaterThan(0.6)
    expect(duration).toBeGreaterThan(3)
    expect(usage).toEqual({ type: 'duration', seconds: duration, cost: expect.closeTo(duration / 100, 3) })
    for (const [at, { start, end }] of words.entries()) {
      expect(end).toBeGreaterThan(start)
      expect(start).toBeGreaterThanOrEqual(words[at - 1]?.start ?? 0)
      expect(end).toBeLessThanOrEqual(duration + 0.05)
    }
    expect(segments.map((segment) => segment.text.trim()).join(' ')).toBe(text)
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^language-model-\d+\.json\.gz$/)])
  })

  test('of what is no audio that can be read is refused, and says what can', async () => {
    const refuse = async (file: Buffer): Promise<string> => {
      const form = new FormData()
      form.set('model', 'test/transcription')
      form.set('file', new Blob([new Uint8Array(file)]), 'speech.m4a')
      const answer = await send(sandbox, '/audio/transcriptions', form)
      expect(answer.status).toBe(400)
      return answer.text()
    }
    expect(await refuse(Buffer.from('<html>no audio</html>'))).toContain('wav, mp3, flac, ogg')
    expect(await refuse(await audioOf({ response_format: 'aac' }))).toContain('cannot read aac')
    expect(await refuse((await audioOf()).subarray(0, 44))).toContain('no audio')
    const three = Buffer.concat([await audioOf(), Buffer.alloc(200 * 48_000)])
    three.writeUInt32LE(three.length - 8, 4)
    three.writeUInt32LE(three.length - 44, 40)
    expect(await refuse(three)).toContain('up to 180 seconds')
  })

  test('is English', async () => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ model: 'test/transcription', language: 'de' })) form.set(name, value)
    form.set('file', new Blob([new Uint8Array(await audioOf())]), 'speech.wav')
    expect((await send(sandbox, '/audio/transcriptions', form)).status).toBe(400)
  })

  // The built-in one hears everywhere; this is about a program that a machine may have besides.
  const programs = [findRecogniser(process.env['PATH'] ?? '')].filter((program) => program !== null)
  test.each(programs)('is better where the system has %s', async (program) => {
    const better = await startMediaSandbox({ recogniser: program })
    const { text, words } = await hear(await audioOf({ voice: 'alloy' }), verbose, better)
    expect(rightPart(text)).toBeGreaterThan(0.85)
    expect(words.length).toBeGreaterThan(10)
    await better.close()
  })
})
