import { expect, test } from 'vitest'
import { encodeAudio } from '../speech/encode-audio.ts'
import { speak } from '../speech/speak.ts'
import { resample } from '../speech/resample.ts'
import { decodeAudio, LISTEN_RATE } from './decode-audio.ts'
import { splitSpeech } from './split-speech.ts'

/** How alike two audio files are where they lie best on each other: 1 for the same. Formats begin with some silence. */
function likeness(left: Float32Array, right: Float32Array): number {
  let best = 0
  for (let shift = -2_000; shift <= 2_000; shift += 1) {
    let [product, one, other] = [0, 0, 0]
    for (let at = 4_000; at < 12_000; at += 1) {
      const [a = 0, b = 0] = [left[at], right[at + shift]]
      product += a * b
      one += a * a
      other += b * b
    }
    best = Math.max(best, product / Math.sqrt(one * other || 1))
  }
  return best
}

const spoken = speak({ text: 'The weather is very nice today.', voice: 'alloy', speed: 1 })
const audio = { samples: resample(spoken.samples, spoken.rate, 24_000), rate: 24_000 }
const wanted = resample(audio.samples, 24_000, LISTEN_RATE)

test.each(['wav', 'mp3', 'flac', 'opus'] as const)('audio that was written as %s is read as it was', async (format) => {
  const read = await decodeAudio(await encodeAudio(audio, format))
  expect(Math.abs(read.length - wanted.length) / LISTEN_RATE).toBeLessThan(0.15)
  expect(likeness(wanted, read)).toBeGreaterThan(0.85)
})

test('a tone keeps its pitch and its loudness at another rate, and what is too high for it goes', () => {
  const tone = (hertz: number) =>
    Float32Array.from({ length: 24_000 }, (_, at) => Math.sin((at * hertz * 2 * Math.PI) / 24_000))
  const power = (samples: Float32Array) => samples.reduce((sum, value) => sum + value * value, 0) / samples.length
  const crossings = (samples: Float32Array) =>
    samples.filter((value, at) => value >= 0 !== (samples[at - 1] ?? 0) >= 0).length
  const low = resample(tone(440), 24_000, 16_000)
  expect(low).toHaveLength(16_000)
  expect(power(low)).toBeCloseTo(0.5, 2)
  expect(Math.abs(crossings(low) - 880)).toBeLessThan(4)
  expect(power(resample(tone(11_000), 24_000, 16_000))).toBeLessThan(0.01)
})

test('audio is cut at its pauses, and where it has none at some place', () => {
  const rate = 1_000
  const loud = (seconds: number) => Float32Array.from({ length: seconds * rate }, (_, at) => Math.sin(at))
  const join = (...parts: readonly Float32Array[]) => Float32Array.from(parts.flatMap((part) => [...part]))
  const speech = join(loud(5), new Float32Array(rate), loud(4), new Float32Array(rate), loud(3))
  const parts = splitSpeech(speech, rate)
  expect(parts).toHaveLength(3)
  expect(parts[0]?.end).toBeGreaterThan(5_000)
  expect(parts[0]?.end).toBeLessThan(6_000)
  for (const [at, { start }] of parts.entries()) expect(start).toBe(parts[at - 1]?.end ?? 0)
  expect(parts.at(-1)?.end).toBe(speech.length)
  expect(splitSpeech(loud(40), rate).every(({ start, end }) => end - start <= 14_100)).toBe(true)
  expect(splitSpeech(new Float32Array(100), rate)).toEqual([{ start: 0, end: 100 }])
})
