/** Files that a person gives: by the button, by drop, by paste. */
import { PDF, RECORDINGS, TEXT } from './chat/attachment-parts.ts'
import type { Attachment } from './chat/conversation.ts'

/** Types that models take. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
/** What a chat takes besides, as a browser's window for files names it. */
export const CHAT_ACCEPT = [
  ...IMAGE_TYPES,
  'application/pdf',
  'audio/*',
  'text/*',
  '.json',
  '.csv',
  '.md',
  '.log',
].join(',')

/** Source: the models' own limits, 5 MB and more. */
const IMAGE_BYTES_MAX = 5_000_000
/** The gateway takes a body of 20 MB, and base64 makes four bytes of three. */
const FILE_BYTES_MAX = 14_000_000
/** Source: own choice; more is more than most models read. */
const TEXT_BYTES_MAX = 1_000_000

export function filesOf(transfer: DataTransfer | null): readonly File[] {
  return [...(transfer?.files ?? [])]
}

export function isImage({ type }: File): boolean {
  return type.startsWith('image/')
}

function dataUrlOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : '')
    reader.onerror = () => reject(new Error('The file could not be read.'))
    reader.readAsDataURL(file)
  })
}

/** @throws {Error} with a sentence for the person, where a file is no image or too large. */
export async function imageOf(file: File): Promise<Attachment> {
  if (!IMAGE_TYPES.some((type) => type === file.type)) {
    throw new Error(`${file.name} is no PNG, JPEG, WebP or GIF.`)
  }
  if (file.size > IMAGE_BYTES_MAX) throw new Error(`${file.name} is larger than 5 MB.`)
  return { name: file.name === '' ? 'image' : file.name, url: await dataUrlOf(file) }
}

/** @throws {Error} as above, where a file is no image, PDF, recording or text, or too large. */
export async function attachmentOf(file: File): Promise<Attachment> {
  if (isImage(file)) return imageOf(file)
  const { name, size, type } = file
  const [plain = ''] = type.split(';')
  if (plain === PDF || RECORDINGS[plain] !== undefined) {
    if (size > FILE_BYTES_MAX) throw new Error(`${name} is larger than 14 MB.`)
    return { name, url: await dataUrlOf(new Blob([file], { type: plain })) }
  }
  if (size > TEXT_BYTES_MAX) throw new Error(`${name} is larger than 1 MB, or no image, PDF or recording.`)
  await requireText(file)
  return { name, url: await dataUrlOf(new Blob([file], { type: TEXT })) }
}

/** @throws {Error} where a file is no text. */
async function requireText(file: File): Promise<void> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  try {
    if (!new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0')) return
  } catch {
    // Said below.
  }
  throw new Error(`${file.name} is no image, PDF, recording (WAV, MP3, FLAC, Ogg, M4A) or text.`)
}
