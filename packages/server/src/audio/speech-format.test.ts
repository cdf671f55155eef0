import { expect, test } from 'vitest'
import { canBeSpeech, deliveredContentType, looksLikeText, pcmParameters, speechContentType } from './speech-format.ts'
import { streamedWavHeader } from './wav-header.ts'

test.each([
  ['mp3', 'audio/mpeg'],
  ['opus', 'audio/opus'],
  ['aac', 'audio/aac'],
  ['flac', 'audio/flac'],
  ['wav', 'audio/wav'],
  ['pcm', 'audio/pcm;rate=24000;channels=1'],
] as const)('%s is %s', (format, type) => {
  expect(speechContentType(format)).toBe(type)
})

test.each([
  ['mp3', null, 'audio/mpeg'],
  ['mp3', 'application/octet-stream', 'audio/mpeg'],
  ['mp3', 'audio/mp3', 'audio/mpeg'],
  ['opus', 'audio/ogg; codecs=opus', 'audio/opus'],
  ['mp3', 'audio/wav', 'audio/wav'],
  ['pcm', 'audio/pcm', 'audio/pcm;rate=24000;channels=1'],
  ['pcm', 'audio/pcm;rate=16000', 'audio/pcm;rate=16000'],
] as const)('%s that comes as %s is told as %s', (format, reported, told) => {
  expect(deliveredContentType(format, reported)).toBe(told)
})

// Case B101: samples may begin with any byte, a file of a format may not begin like JSON or HTML.
test('only raw samples may begin like a text', () => {
  expect(canBeSpeech('pcm', Buffer.from('{"'))).toBe(true)
  expect(canBeSpeech('mp3', Buffer.from('{"error"'))).toBe(false)
  expect(canBeSpeech('wav', Buffer.from('<html>'))).toBe(false)
  expect(canBeSpeech('mp3', Buffer.from([0xff, 0xfb]))).toBe(true)
})

test('the header of a WAV that is streamed names rate and channels, and no length', () => {
  expect(pcmParameters('audio/pcm; rate=16000; channels=2')).toEqual({ rate: 16_000, channels: 2 })
  expect(pcmParameters(null)).toEqual({ rate: 24_000, channels: 1 })
  const header = streamedWavHeader({ rate: 16_000, channels: 2 })
  expect(header).toHaveLength(44)
  expect([header.readUInt32LE(24), header.readUInt16LE(22), header.readUInt32LE(28)]).toEqual([16_000, 2, 64_000])
  expect([header.readUInt32LE(4), header.readUInt32LE(40)]).toEqual([0xff_ff_ff_ff, 0xff_ff_ff_ff])
})

test('an error is a text whatever it is called, and samples are none', () => {
  expect(looksLikeText(Buffer.from('{"error":{"message":"no é"}}\r\n'))).toBe(true)
  expect(looksLikeText(Buffer.from([0x7b, 0x22, 0x00, 0x01]))).toBe(false)
})
