/** The parts of a form, and how they are written. */

/** One part of a form, before it is written. */
export interface FormPart {
  /** Header lines without their ends. */
  readonly headers: readonly string[]
  readonly content: Buffer
}

/** A form on its way. */
export interface RandomForm {
  /** The content type that it is sent with. */
  readonly type: string
  readonly bytes: Buffer
}

/** One field with a text. */
export function textPart(name: string, text: string): FormPart {
  return { headers: [`content-disposition: form-data; name="${name}"`], content: Buffer.from(text) }
}

/** Writes parts with a boundary between them. */
export function writeForm(parts: readonly FormPart[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => [
    Buffer.from(`--${boundary}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`, 'latin1'),
    content,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`, 'latin1')])
}
