/** Images as upstreams send them: base64 with or without a data URL around it, of a type that they may not name. */
import { trimEndOf } from '@svc/contract'
import type { Render } from './image-upstream.ts'

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,/i
const IMAGE_TYPE = /^image\/[\w.+-]{1,50}$/i

/** The first bytes of a file, and what they make it. */
const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^.{4}ftypavi[fs]/s, 'image/avif'],
  [/^(?:\xef\xbb\xbf)?\s*<(?:\?xml|svg|!DOCTYPE svg)/i, 'image/svg+xml'],
]

/** A page or JSON, which some upstreams wrap up where their own source of images fails. */
const PAGE = /^(?:\xef\xbb\xbf)?\s*(?:<!doctype html|<html|\{\s*")/i

/** Base64 text of what `signatures` look at. */
const HEAD_CHARACTERS = 64

/**
 * Reads one image.
 *
 * @param text base64, or a data URL.
 * @param declaredType what the upstream says that it is; null where it does not.
 * @returns null when it cannot be decoded, holds nothing, or is a page and no image.
 */
export function readRender(text: unknown, declaredType: unknown): Pick<Render, 'base64' | 'mediaType'> | null {
  if (typeof text !== 'string') return null
  const header = DATA_URL.exec(text)
  const base64 = plainBase64(header === null ? text : text.slice(header[0].length))
  if (base64 === null) return null
  const declared = [declaredType, header?.[1]].find((type) => typeof type === 'string' && IMAGE_TYPE.test(type))
  const head = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64')
  const known = typeOfBytes(head)
  if (known === null && isPage(head)) return null
  return { base64, mediaType: known ?? (typeof declared === 'string' ? declared.toLowerCase() : 'image/png') }
}

/** Whether the first bytes are those of a page or of JSON, and so of no image. */
export function isPage(head: Buffer): boolean {
  return PAGE.test(head.toString('latin1'))
}

/** What the first bytes say; null for a form that is not known. */
export function typeOfBytes(head: Buffer): string | null {
  const text = head.toString('latin1')
  return signatures.find(([pattern]) => pattern.test(text))?.[1] ?? null
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
