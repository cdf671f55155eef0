/** Files that go with a prompt: images, documents, recordings and texts. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { type ChatMessage, fencedText } from '@svc/contract'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

type Part = Exclude<ChatMessage['content'], string | null | undefined>[number]

/** The gateway takes a body of this size at most, and base64 makes four bytes of three. */
const FILE_BYTES_MAX = 14 * 1024 * 1024

/** The first bytes of the image formats that models read. */
const SIGNATURES: readonly { readonly type: string; readonly at: number; readonly bytes: string }[] = [
  { type: 'image/png', at: 0, bytes: '\u0089PNG' },
  { type: 'image/jpeg', at: 0, bytes: '\u00ff\u00d8\u00ff' },
  { type: 'image/gif', at: 0, bytes: 'GIF8' },
  { type: 'image/webp', at: 8, bytes: 'WEBP' },
]

/** The media type of an image, by its content; null when it is none that models read. */
export function imageType(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  return SIGNATURES.find(({ at, bytes: signature }) => head.startsWith(signature, at))?.type ?? null
}

/**
 * An image as a data address.
 *
 * @throws {CommandError} naming the file, when it is missing, too large, or not an image.
 */
export async function readImageAddress(file: string): Promise<string> {
  const bytes = await readBytes(file)
  const type = imageType(bytes)
  if (type === null) {
    throw new CommandError(`${file} is not a PNG, JPEG, WebP or GIF image.`, { exitCode: exitCodes.wrongUsage })
  }
  return `data:${type};base64,${bytes.toString('base64')}`
}

/** An image as a part of a message. @throws {CommandError} as `readImageAddress`. */
export async function readImage(file: string): Promise<Part> {
  return { type: 'image_url', image_url: { url: await readImageAddress(file) } }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file)
    if (size > FILE_BYTES_MAX) {
      throw new CommandError(`${file} is larger than ${FILE_BYTES_MAX} bytes.`, { exitCode: exitCodes.wrongUsage })
    }
    return await readFile(file)
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    throw new CommandError(`${path.resolve(file)} cannot be read.`, { exitCode: exitCodes.wrongUsage, cause })
  }
}

/** The first bytes of recordings, and how the API calls their form. */
const RECORDINGS: readonly { readonly format: string; readonly at: number; readonly bytes: string }[] = [
  { format: 'wav', at: 8, bytes: 'WAVE' },
  { format: 'flac', at: 0, bytes: 'fLaC' },
  { format: 'ogg', at: 0, bytes: 'OggS' },
  { format: 'm4a', at: 4, bytes: 'ftypM4A' },
  { format: 'mp3', at: 0, bytes: 'ID3' },
  ...['\u00fb', '\u00f3', '\u00f2', '\u00fa'].map((second) => ({ format: 'mp3', at: 0, bytes: `\u00ff${second}` })),
]

/**
 * A file as a part of a message, by its content: an image, a PDF, a recording, or a text.
 *
 * @throws {CommandError} naming the file, when it is missing, too large, or none of these.
 */
export async function attachFile(file: string): Promise<Part> {
  const bytes = await readBytes(file)
  const head = bytes.subarray(0, 16).toString('latin1')
  const image = imageType(bytes)
  if (image !== null) {
    return { type: 'image_url', image_url: { url: `data:${image};base64,${bytes.toString('base64')}` } }
  }
  const filename = path.basename(file)
  if (head.startsWith('%PDF-')) {
    return { type: 'file', file: { filename, file_data: `data:application/pdf;base64,${bytes.toString('base64')}` } }
  }
  const recording = RECORDINGS.find(({ at, bytes: signature }) => head.startsWith(signature, at))
  if (recording !== undefined) {
    return { type: 'input_audio', input_audio: { data: bytes.toString('base64'), format: recording.format } }
  }
  return { type: 'text', text: fencedText(filename, textOf(file, bytes)) }
}

function textOf(file: string, bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Told below.
  }
  throw new CommandError(`${file} is no image, PDF, recording or text.`, {
    advice: 'Images: PNG, JPEG, WebP, GIF. Recordings: WAV, MP3, FLAC, Ogg, M4A. Texts: UTF-8.',
    exitCode: exitCodes.wrongUsage,
  })
}

/** The user's message: a plain text where nothing but texts is attached, since every model reads that. */
export function userMessage(text: string, attached: readonly Part[]): ChatMessage {
  const parts = [...(text === '' ? [] : [{ type: 'text', text }]), ...attached]
  const texts = parts.flatMap((part) => (part.type === 'text' ? [String(Reflect.get(part, 'text'))] : []))
  if (texts.length === parts.length) return { role: 'user', content: texts.join('\n\n') }
  return { role: 'user', content: parts }
}

/** A piped text beside a prompt is its attachment: first what is asked, then what about. Blanks are none. */
export function promptWith(prompt: string, piped: string | null): string {
  if (piped === null || piped.trim() === '') return prompt
  return prompt === '' ? piped : `${prompt}\n\n${piped}`
}
