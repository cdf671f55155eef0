/** Files that go with a message, and what they are there. Pure. */
import { fencedText } from '@svc/contract'
import type { Attachment } from './conversation.ts'

/** How the API calls the forms of recordings. */
export const RECORDINGS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
}

export const PDF = 'application/pdf'
export const TEXT = 'text/plain'

export type AttachmentKind = 'image' | 'pdf' | 'audio' | 'text'

const typeOf = ({ url }: Attachment): string => url.slice('data:'.length, url.indexOf(';'))
const dataOf = ({ url }: Attachment): string => url.slice(url.indexOf(',') + 1)

export function kindOf(attachment: Attachment): AttachmentKind {
  const type = typeOf(attachment)
  if (type.startsWith('image/')) return 'image'
  if (type === PDF) return 'pdf'
  return type === TEXT ? 'text' : 'audio'
}

/** An attachment as a part of a message. */
export function partOf(attachment: Attachment) {
  const { name, url } = attachment
  const kind = kindOf(attachment)
  if (kind === 'image') return { type: 'image_url', image_url: { url } }
  if (kind === 'pdf') return { type: 'file', file: { filename: name, file_data: url } }
  if (kind === 'text') return { type: 'text', text: fencedText(name, textOf(attachment)) }
  return {
    type: 'input_audio',
    input_audio: { data: dataOf(attachment), format: RECORDINGS[typeOf(attachment)] ?? 'wav' },
  }
}

function textOf(attachment: Attachment): string {
  return new TextDecoder().decode(Uint8Array.from(atob(dataOf(attachment)), (byte) => byte.codePointAt(0) ?? 0))
}
