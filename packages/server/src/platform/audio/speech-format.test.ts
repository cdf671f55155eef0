import { expect, test } from 'vitest'
import { deliveredContentType, pcmParameters, speechContentType } from './speech-format.ts'
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
] as const)('%s that comes as %s is sent as %s', (format, reported, told) => {
  expect(deliveredContentType(format, reported)).toBe(told)
})

test('the header of a WAV that is streamed names rate and channels, and no length', () => {
  expect(pcmParameters('audio/pcm; rate=16000; channels=2')).toEqual({ rate: 16_000, channels: 2 })
  expect(pcmParameters(null)).toEqual({ rate: 24_000, channels: 1 })
  const header = streamedWavHeader({ rate: 16_000, channels: 2 })
  expect(header).toHaveLength(44)
  expect([header.readUInt32LE(24), header.readUInt16LE(22), header.readUInt32LE(28)]).toEqual([16_000, 2, 64_000])
  expect([header.readUInt32LE(4), header.readUInt32LE(40)]).toEqual([0xff_ff_ff_ff, 0xff_ff_ff_ff])
})
