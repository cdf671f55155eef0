import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRealDecoder, type RealDecoder } from '../../testing/decoder/real-decoder.ts'
import { measureDuration } from './measure-duration.ts'

let decoder: RealDecoder
beforeAll(() => {
  decoder = openRealDecoder()
})
afterAll(() => decoder.close())

const SECONDS = 3.37

function measured(bytes: Buffer): number | string {
  const length = measureDuration({ kind: 'memory', bytes }, bytes.length)
  return length.kind === 'measured' ? length.seconds : length.kind
}

test.each([
  ...['a.wav', '-c:a pcm_s24le a.wav', '-c:a pcm_alaw a.wav', '-c:a adpcm_ima_wav a.wav', '-c:a adpcm_ms a.wav'],
  ...['-c:a libmp3lame a.wav', '-rf64 always a.wav', 'a.w64', 'a.aiff', '-c:a pcm_alaw a.aifc', 'a.au', 'a.caf'],
  ...['-c:a alac a.caf', 'a.mp3', '-q:a 5 a.mp3', 'a.mp2', 'a.aac', 'a.ac3', 'a.eac3', 'a.flac'],
  ...['-c:a libvorbis a.ogg', '-c:a libopus a.ogg', '-c:a libopus a.opus', '-c:a flac a.ogg'],
  ...['a.m4a', '-c:a alac a.m4a', '-c:a libmp3lame a.mp4', '-c:a libopus -strict -2 a.mp4', '-c:a pcm_s16le a.mov'],
  ...['-c:a aac -movflags frag_keyframe+empty_moov -frag_duration 500000 a.mp4', '-c:a adpcm_ima_qt a.mov'],
  ...['-c:a libopus a.webm', '-c:a libvorbis a.webm', '-c:a libopus -live 1 a.webm', '-c:a aac a.mkv'],
  ...['-c:a pcm_s16le a.mkv', '-c:a libmp3lame a.mkv', '-c:a aac a.ts', '-c:a mp2 a.mpg', '-c:a ac3 a.vob'],
])('a decoder hears of "%s" as much as is measured', async (args) => {
  const sound = await decoder.make(SECONDS, args.split(' '))
  const heard = await decoder.hear(sound)
  expect(heard).toBeGreaterThan(SECONDS - 0.05)
  expect(measured(sound)).toBeGreaterThan(heard - 0.01)
  expect(measured(sound)).toBeLessThan(heard + 0.05)
})
