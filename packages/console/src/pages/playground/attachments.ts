/** Files of images that a person gives: by the button, by drop, by paste. */
import type { Attachment } from './chat/conversation.ts'

/** Types that models take. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
/** Source: the models' own limits, 5 MB and more. */
const IMAGE_BYTES_MAX = 5_000_000

export function imagesOf(transfer: DataTransfer | null): readonly File[] {
  return [...(transfer?.files ?? [])].filter(({ type }) => type.startsWith('image/'))
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
export async function attachmentOf(file: File): Promise<Attachment> {
  if (!IMAGE_TYPES.some((type) => type === file.type)) {
    throw new Error(`${file.name} is no PNG, JPEG, WebP or GIF.`)
  }
  if (file.size > IMAGE_BYTES_MAX) throw new Error(`${file.name} is larger than 5 MB.`)
  return { name: file.name === '' ? 'image' : file.name, url: await dataUrlOf(file) }
}
