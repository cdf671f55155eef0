/** Images as upstreams send them: base64 with or without a data URL around it, of a type that they may not name. */
import { trimEndOf } from '@svc/contract'
import { type FileMark, hasMarks } from './file-marks.ts'
import type { Render } from './image-upstream.ts'

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,/i
const IMAGE_TYPE = /^image\/[\w.+-]{1,50}$/i

/** Marks of a file, and what they make it. Sources: the specification of each format. */
const signatures: readonly (readonly [type: string, ...marks: readonly FileMark[]])[] = [
  ['image/png', [0, '\x89PNG']],
  ['image/jpeg', [0, '\xff\xd8\xff']],
  ['image/gif', [0, 'GIF87a']],
  ['image/gif', [0, 'GIF89a']],
  ['image/webp', [0, 'RIFF'], [8, 'WEBP']],
  ...['avif', 'avis'].map((brand) => ['image/avif', [4, `ftyp${brand}`]] as const),
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'].map(
    (brand) => ['image/heic', [4, `ftyp${brand}`]] as const,
  ),
  ['image/jxl', [0, '\xff\x0a']],
  ['image/jxl', [0, '\0\0\0\x0cJXL ']],
  ['image/jp2', [0, '\0\0\0\x0cjP  \r\n']],
  ['image/bmp', [0, 'BM'], [6, '\0\0\0\0']],
  ['image/tiff', [0, 'II*\0']],
  ['image/tiff', [0, 'MM\0*']],
  ['image/x-icon', [0, '\0\0\x01\0']],
  ['image/vnd.adobe.photoshop', [0, '8BPS\0\x01']],
]
/** A drawing, which comments may precede. Other documents of XML are none. */
const DRAWING = /^(?:\xef\xbb\xbf)?\s*<(?:svg|!DOCTYPE svg|(?:\?xml|!--)[^]*<svg)/i
const DRAWING_TYPE = 'image/svg+xml'
const KNOWN_TYPES: ReadonlySet<string> = new Set([...signatures.map(([type]) => type), DRAWING_TYPE, 'image/jpg'])

/** Bytes of what `signatures` look at: comments may precede a drawing. */
const HEAD_BYTES = 3_072

/**
 * Reads one image.
 *
 * @param text base64, or a data URL.
 * @param declaredType what the upstream says that it is; null where it does not.
 * @returns null when it cannot be decoded, holds nothing, or is no image.
 */
export function readRender(text: unknown, declaredType: unknown): Pick<Render, 'base64' | 'mediaType'> | null {
  if (typeof text !== 'string') return null
  const header = DATA_URL.exec(text)
  const content = header === null ? text : text.slice(header[0].length)
  const declared = [declaredType, header?.[1]].find((type) => typeof type === 'string' && IMAGE_TYPE.test(type))
  const head = Buffer.from(content.slice(0, (HEAD_BYTES / 3) * 4), 'base64')
  const mediaType = typeOfImage(head, typeof declared === 'string' ? declared : null)
  const base64 = mediaType === null ? null : plainBase64(content)
  return mediaType === null || base64 === null ? null : { base64, mediaType }
}

/**
 * What the first bytes of a file say that it is. A form that is not known here is believed to be what it is called, if
 * it is not a text: an error page, JSON and a sentence are no images, and what is called by a known name is seen to be.
 *
 * @param declared how the upstream calls it; null where it does not.
 * @returns null for what is no image.
 */
export function typeOfImage(file: Buffer, declared: string | null): string | null {
  const head = file.subarray(0, HEAD_BYTES)
  const text = head.toString('latin1')
  const known = signatures.find(([, ...marks]) => hasMarks(text, marks))?.[0]
  if (known !== undefined) return known
  if (DRAWING.test(text)) return DRAWING_TYPE
  const called = declared?.toLowerCase() ?? null
  if (called === null || KNOWN_TYPES.has(called)) return null
  return head.some((byte) => byte < 0x09) ? called : null
}

/** Base64 of the ordinary alphabet without breaks, so that JSON can hold it as it is; null when it is none. */
function plainBase64(text: string): string | null {
  if (isBase64(text)) return text
  const plain = text.replaceAll(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
  return isBase64(plain) ? plain : null
}

function isBase64(text: string): boolean {
  return BASE64.test(text) && trimEndOf(text, '=').length % 4 !== 1
}
