import { expect, test } from 'vitest'
import { spokenUnits, transcribedSeconds } from './delivered-part.ts'

test.each([
  ['two seconds of mp3 are thirty characters', 1_000, { format: 'mp3', bytes: 32_000, speed: 1 }, 30],
  ['at double speed they are sixty', 1_000, { format: 'mp3', bytes: 32_000, speed: 2 }, 60],
  ['a second of samples', 1_000, { format: 'pcm', bytes: 48_000, speed: 1 }, 15],
  ['never more than the text', 20, { format: 'mp3', bytes: 10_000_000, speed: 1 }, 20],
] as const)('%s', (_name, units, audio, part) => {
  expect(spokenUnits(units, audio)).toBe(part)
})

test('what was delivered is never nothing', () => {
  expect(spokenUnits(1_000, { format: 'opus', bytes: 1, speed: 0.25 })).toBe(1)
  expect(transcribedSeconds(60, '')).toBe(1)
})

test('a transcript is of a second for every fifteen characters, at most of the whole audio', () => {
  expect(transcribedSeconds(60, 'x'.repeat(31))).toBe(3)
  expect(transcribedSeconds(2, 'x'.repeat(1_000))).toBe(2)
})
