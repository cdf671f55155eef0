/** Images and texts that go with a prompt. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { ChatMessage } from '@svc/contract'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

type Part = Exclude<ChatMessage['content'], string | null | undefined>[number]

/** The gateway takes a body of this size at most, and base64 makes four bytes of three. */
const IMAGE_BYTES_MAX = 14 * 1024 * 1024

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
    if (size > IMAGE_BYTES_MAX) {
      throw new CommandError(`${file} is larger than ${IMAGE_BYTES_MAX} bytes.`, { exitCode: exitCodes.wrongUsage })
    }
    return await readFile(file)
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    throw new CommandError(`${path.resolve(file)} cannot be read.`, { exitCode: exitCodes.wrongUsage, cause })
  }
}

/** The user's message: a plain text where nothing is attached, since every model reads that. */
export function userMessage(text: string, images: readonly Part[]): ChatMessage {
  if (images.length === 0) return { role: 'user', content: text }
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...images] }
}

/** A piped text beside a prompt is its attachment: first what is asked, then what about. Blanks are none. */
export function promptWith(prompt: string, piped: string | null): string {
  if (piped === null || piped.trim() === '') return prompt
  return prompt === '' ? piped : `${prompt}\n\n${piped}`
}
