import { expect, test } from 'vitest'
import { peaksOf, playable } from './decode-audio.ts'
import { cuesOfWords, wordAt } from './word-cues.ts'

const words = ['The', 'quick', 'brown', 'fox', 'jumps', 'over', 'the', 'lazy', 'dog', 'again'].map((text, at) => ({
  text,
  start: at,
  end: at + 0.9,
}))

test('words become lines that are not too long', () => {
  const cues = cuesOfWords(words)
  expect(cues.map(({ text }) => text)).toEqual(['The quick brown fox jumps over the lazy', 'dog again'])
  expect(cues[1]).toMatchObject({ start: 8, end: 9.9 })
})

test('a word is heard from its start to its end', () => {
  expect([0, 0.5, 0.95, 1, 99].map((at) => wordAt(words, at))).toEqual([0, 0, -1, 1, -1])
})

test('an audio file is drawn by the loudest of each part, and silence as silence', () => {
  const samples = new Float32Array(1_200)
  samples[5] = -0.5
  samples[1_195] = 0.25
  const peaks = peaksOf(samples)
  expect(peaks).toHaveLength(120)
  expect([peaks[0], peaks[60], peaks[119]]).toEqual([1, 0, 0.5])
  expect(Math.max(...peaksOf(new Float32Array(10)))).toBe(0)
})

test('audio without a head gets one of its own rate', async () => {
  const wav = playable([new Uint8Array([1, 2, 3, 4])], 'audio/pcm; rate=8000; channels=1')
  const view = new DataView(await wav.arrayBuffer())
  expect([wav.type, wav.size, view.getUint32(24, true), view.getUint32(40, true)]).toEqual(['audio/wav', 48, 8_000, 4])
  expect(playable([new Uint8Array([1])], 'audio/mpeg').size).toBe(1)
})
