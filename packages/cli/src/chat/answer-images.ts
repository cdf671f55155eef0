/** Images that an answer holds: models that draw send them beside the text. */
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { imageFormats } from '../files/output-format.ts'
import { type OutputFile, reserveFile, timedName } from '../files/output-file.ts'
import { type ImageProtocol, showImage } from '../images/show-image.ts'
import { imageType } from './attach.ts'

/** Images of one answer at most that are kept, so that no answer fills a folder. */
const IMAGES_MAX = 32
/** Names that are tried for one image at most. */
const NAMES_MAX = 100
const DATA_URL = /^data:image\/[\w.+-]+;base64,/

/** The addresses of the images in a message or a piece of one. Source: OpenRouter's API, `images`. */
export function imageAddresses(message: object | undefined): string[] {
  const images: unknown = message === undefined ? undefined : Reflect.get(message, 'images')
  if (!Array.isArray(images)) return []
  return images.flatMap((image: unknown) => {
    const url = memberOf(memberOf(image, 'image_url'), 'url')
    return typeof url === 'string' ? [url] : []
  })
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/**
 * Writes the images into files of this folder, and prints their names; an address elsewhere is printed as it is.
 *
 * @param options.protocol by which the terminal shows them, too; null where it cannot, or is in use.
 */
export async function keepImages(
  { terminal }: Context,
  addresses: readonly string[],
  { now, protocol }: { readonly now: Date; readonly protocol: ImageProtocol | null },
): Promise<void> {
  for (const address of addresses.slice(0, IMAGES_MAX)) {
    if (!DATA_URL.test(address)) {
      await terminal.out.line(address)
      continue
    }
    const bytes = Buffer.from(address.slice(address.indexOf(',') + 1), 'base64')
    const file = await freeFile(terminal.out, endingOf(bytes), now)
    await file.write(once(bytes))
    await terminal.out.line(file.name ?? '')
    if (protocol !== null) await showImage(terminal, protocol, bytes)
  }
  const left = addresses.length - IMAGES_MAX
  if (left > 0) await terminal.notes.line(`${left} more images were not kept.`)
}

function endingOf(bytes: Uint8Array): string {
  const type = imageType(bytes)?.slice('image/'.length) ?? 'bin'
  return type === 'jpeg' ? imageFormats.jpeg[0] : type
}

/** A name by the time, with a number where that one is taken: the image is paid for, and must not be lost. */
async function freeFile(out: Context['terminal']['out'], ending: string, now: Date): Promise<OutputFile> {
  const name = timedName('chat', ending, now)
  for (let number = 1; ; number += 1) {
    try {
      return await reserveFile(number === 1 ? name : name.replace(/\.\w+$/, `-${number}$&`), { force: false, out })
    } catch (error) {
      const isTaken = error instanceof CommandError && memberOf(error.cause, 'code') === 'EEXIST'
      if (!isTaken || number >= NAMES_MAX) throw error
    }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}
