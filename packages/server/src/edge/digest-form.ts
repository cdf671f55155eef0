import { createHash } from 'node:crypto'
import type { Form, FormField } from './read-form.ts'

/** A file of a form, wherever its bytes are. */
export interface DigestedFile {
  readonly name: string
  readonly filename: string | null
  readonly contentType: string | null
  readonly pieces: Iterable<Buffer> | AsyncIterable<Buffer>
}

/**
 * A form as bytes that are equal when the same form is sent again: the boundary differs each time, and the content does
 * not.
 */
export async function digestForm(fields: readonly FormField[], files: readonly DigestedFile[]): Promise<Buffer> {
  const hash = createHash('sha256')
  hash.update(JSON.stringify(fields.map(({ name, value }) => [name, value])))
  for (const { name, filename, contentType, pieces } of files) {
    const content = createHash('sha256')
    for await (const piece of pieces) content.update(piece)
    hash.update(JSON.stringify([name, filename, contentType, content.digest('hex')]))
  }
  return hash.digest()
}

/** The same for a form whose files are in the spool. They can be read again afterwards. */
export function digestSpooled({ fields, files }: Form): Promise<Buffer> {
  return digestForm(
    fields,
    files.map(({ content, ...file }) => ({ ...file, pieces: content.stream() as AsyncIterable<Buffer> })),
  )
}
