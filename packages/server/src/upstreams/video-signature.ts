/** What a video begins with. An error page or an error object under the type of a video is none. */
import { ServiceError } from '../platform/errors/service-error.ts'
import { type FileMark, hasMarks } from './file-marks.ts'

/** Bytes of a file's beginning that are looked at: every container shows itself in fewer. Source: own choice. */
export const HEAD_BYTES = 4_096

/** The shortest beginning by which a container can be told: a box of ISO media with its brand. */
const TOLD_BYTES = 12

/** First boxes of ISO media. Source: ISO/IEC 14496-12, section 4.2; QuickTime File Format Specification. */
const BOXES: ReadonlySet<string> = new Set([
  'ftyp',
  'moov',
  'mdat',
  'free',
  'skip',
  'wide',
  'pnot',
  'styp',
  'moof',
  'sidx',
  'emsg',
  'uuid',
  'prft',
])

/** Marks of the other containers, and of moving images. Sources: the specification of each. */
const SIGNATURES: readonly (readonly FileMark[])[] = [
  // Matroska and WebM.
  [[0, '\x1aE\xdf\xa3']],
  ...['AVI ', 'WEBP'].map((kind): readonly FileMark[] => [
    [0, 'RIFF'],
    [8, kind],
  ]),
  [[0, 'OggS\0']],
  [[0, 'GIF87a']],
  [[0, 'GIF89a']],
  [[0, 'FLV\x01']],
  // MPEG program streams, and MPEG video alone.
  [[0, '\0\0\x01\xba']],
  [[0, '\0\0\x01\xb3']],
  // ASF, of Windows Media.
  [[0, '\x30\x26\xb2\x75\x8e\x66\xcf\x11']],
  [[0, 'DKIF\0']],
]

/** Packets of MPEG transport streams, and where the first begins: a time may precede each packet. */
const PACKETS: readonly (readonly [first: number, size: number])[] = [
  [0, 188],
  [4, 192],
]

/** Whether bytes are the beginning of a video. Fewer than a dozen are not enough to tell, and are none. */
export function beginsLikeVideo(head: Buffer): boolean {
  if (head.length < TOLD_BYTES) return false
  const text = head.toString('latin1', 0, 16)
  return SIGNATURES.some((marks) => hasMarks(text, marks)) || beginsWithBox(head) || isTransportStream(head)
}

/** A size comes before the name of a box: letters in its place are those of a sentence. */
function beginsWithBox(head: Buffer): boolean {
  if (!BOXES.has(head.toString('latin1', 4, 8))) return false
  const size = head.readUInt32BE(0)
  return (size === 0 || size === 1 || size >= 8) && head.subarray(0, 4).some((byte) => byte < 0x20 || byte > 0x7e)
}

function isTransportStream(head: Buffer): boolean {
  return PACKETS.some(([first, size]) => head[first] === 0x47 && head[first + size] === 0x47)
}

/**
 * A file as it comes, once its beginning is that of a video.
 *
 * @throws {ServiceError} `upstream_error`, before the first piece, when it is something else.
 */
export async function* asVideo(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0)
  for await (const piece of pieces) {
    if (head === null) {
      yield piece
      continue
    }
    head = head.length === 0 ? piece : Buffer.concat([head, piece])
    if (head.length < HEAD_BYTES && !beginsLikeVideo(head)) continue
    yield requireVideo(head)
    head = null
  }
  // What ends before it begins is left to the reader, who knows how long it should have been.
  if (head !== null && head.length > 0) yield requireVideo(head)
}

function requireVideo(head: Buffer): Buffer {
  if (beginsLikeVideo(head)) return head
  throw new ServiceError('upstream_error', 'The upstream sent something else in the place of the video.')
}
