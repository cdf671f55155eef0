import { expect, test } from 'vitest'
import { asVideo, beginsLikeVideo } from './video-signature.ts'

const bytes = (text: string) => Buffer.from(text.padEnd(400, '\0'), 'latin1')
const packets = (first: number, size: number) => {
  const stream = Buffer.alloc(1_000)
  for (let at = first; at < stream.length; at += size) stream[at] = 0x47
  return stream
}

test.each<[string, Buffer]>([
  ['MP4', bytes('\0\0\0\x18ftypmp42')],
  ['QuickTime with its frames first', bytes('\0\x12\xab\x34mdat')],
  ['a fragment', bytes('\0\0\0\x18stypmsdh')],
  ['WebM', bytes('\x1aE\xdf\xa3\x01\0\0\0')],
  ['AVI', bytes('RIFF\x10\x27\0\0AVI LIST')],
  ['a moving WebP', bytes('RIFF\x10\x27\0\0WEBPVP8X')],
  ['a GIF', bytes('GIF89a')],
  ['Ogg', bytes('OggS\0\x02')],
  ['Flash', bytes('FLV\x01\x05')],
  ['an MPEG program stream', bytes('\0\0\x01\xba')],
  ['an MPEG transport stream', packets(0, 188)],
  ['a transport stream with times', packets(4, 192)],
])('%s begins like a video', (_name, head) => {
  expect(beginsLikeVideo(head)).toBe(true)
})

test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['a dozen zeroes', Buffer.alloc(12)],
  ['the first bytes of an MP4', Buffer.from('\0\0\0\x18ftyp', 'latin1')],
  ['an object', Buffer.from('{"error":{"message":"file not found"}}')],
  ['an object behind a mark of its order', Buffer.from('\ufeff{"error":"file not found"}')],
  ['a text with a box', Buffer.from('the ftyp of this file is unknown')],
  ['a text in G', Buffer.from('Gateway Timeout'.padEnd(400))],
  ['sound', bytes('RIFF\x10\x27\0\0WAVEfmt ')],
  ['a PNG', bytes('\x89PNG\r\n\x1a\n')],
  ['a PDF', bytes('%PDF-1.7')],
])('%s does not', (_name, head) => {
  expect(beginsLikeVideo(head)).toBe(false)
})

async function* pieces(whole: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
}

test('a video is passed on byte for byte, however it is cut, and a text is not begun', async () => {
  for (const size of [1, 7, 100, 5_000]) {
    const stream = packets(0, 188)
    const read: Buffer[] = []
    for await (const piece of asVideo(pieces(stream, size))) read.push(piece)
    expect(Buffer.concat(read)).toEqual(stream)
    const text = asVideo(pieces(Buffer.from('Internal Server Error'), size))
    await expect(text.next()).rejects.toMatchObject({ code: 'upstream_error' })
  }
})
