import { expect, test } from 'vitest'
import { makeAudio } from '../../../testing/make-audio.ts'
import { speechFormats } from './speech-format.ts'
import { speechStart } from './speech-start.ts'
import { streamedWavHeader } from './wav-header.ts'

const files = speechFormats.filter((format) => format !== 'pcm')

// Case B101: samples may begin with any byte, a file of a format may not begin like JSON or HTML.
test.each(['{"error":{"message":"later"}}', '\n {"error"', '\u00ef\u00bb\u00bf[', '<html>', '<?xml'])(
  '%j is a page in every file',
  (text) => {
    for (const format of files)
      expect([format, speechStart(format, Buffer.from(text, 'latin1'))]).toEqual([format, 'page'])
    expect(speechStart('pcm', Buffer.from(text))).toBe('text')
  },
)

test('a sentence is a text whatever it is called, also where its last character has not come whole', () => {
  const text = Buffer.from('Internal error: no é')
  for (const format of speechFormats) {
    expect(speechStart(format, text)).toBe('text')
    expect(speechStart(format, text.subarray(0, -1))).toBe('text')
  }
  expect(speechStart('pcm', Buffer.from([0x7b, 0x22, 0x00, 0x01]))).toBe('audio')
  expect(speechStart('mp3', Buffer.from([0xff, 0xfb]))).toBe('audio')
})

/** The first bytes of real files that bring no audio yet. */
test.each([
  ['wav', 44],
  ['flac', 42],
  ['ogg', 47],
] as const)('a %s begins with a header', async (format, least) => {
  const audio = await makeAudio(format, 0.5)
  const found = Array.from({ length: Math.min(audio.length, 9_000) }, (_, at) =>
    speechStart('mp3', audio.subarray(0, at + 1)),
  )
  const first = found.indexOf('audio')
  expect(first).toBeGreaterThanOrEqual(least)
  // Once there is audio, there is: what follows is not looked at.
  expect(found.slice(first).every((start) => start === 'audio')).toBe(true)
  expect(found.slice(4, first).every((start) => start === 'header')).toBe(true)
})

test('a header that is made here, a tag, and half a sample are headers', () => {
  const header = streamedWavHeader({ rate: 24_000, channels: 1 })
  expect(speechStart('wav', header)).toBe('header')
  expect(speechStart('wav', Buffer.concat([header, Buffer.from([1])]))).toBe('audio')
  const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0])
  expect(speechStart('mp3', tag)).toBe('header')
  expect(speechStart('mp3', Buffer.concat([tag, Buffer.from([0xff])]))).toBe('audio')
  expect(speechStart('pcm', Buffer.from([1]))).toBe('header')
})
