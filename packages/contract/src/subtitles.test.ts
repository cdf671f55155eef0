import { expect, test } from 'vitest'
import { renderSrt, renderVtt } from './subtitles.ts'

const cues = [
  { start: 0, end: 1.5, text: ' Hello there. ' },
  { start: 3_661.0016, end: 3_662.9999, text: 'Two\n\nlines & <i>tags</i> --> arrow' },
]

test('SubRip numbers its cues and has no empty line within one', () => {
  expect(renderSrt(cues)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello there.\n\n' +
      '2\n01:01:01,002 --> 01:01:03,000\nTwo\nlines & <i>tags</i> -> arrow\n\n',
  )
})

test('WebVTT escapes what would be a tag', () => {
  expect(renderVtt(cues)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello there.\n\n' +
      '01:01:01.002 --> 01:01:03.000\nTwo\nlines &amp; &lt;i>tags&lt;/i> -> arrow\n\n',
  )
})

test('times that are none are the beginning', () => {
  expect(renderSrt([{ start: Number.NaN, end: -3, text: 'a' }])).toContain('00:00:00,000 --> 00:00:00,000')
})

test('nothing said is an empty file', () => {
  expect([renderSrt([]), renderVtt([])]).toEqual(['', 'WEBVTT\n\n'])
})
