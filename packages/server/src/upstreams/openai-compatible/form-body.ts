/** Writes `multipart/form-data` bodies that are kept in memory. Source: RFC 7578; WHATWG HTML, form encoding. */
import { randomBytes } from 'node:crypto'

export interface FormPart {
  readonly name: string
  readonly content: string | { readonly bytes: Buffer; readonly fileName: string; readonly mediaType: string }
}

/** Names are quoted text: what would end the quotes or the line is written as a percent code. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`
}

/** A media type as a header may hold it; anything else would write further headers. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/

/** Writes a form with its parts in this order. */
export function writeForm(parts: readonly FormPart[]): { readonly contentType: string; readonly body: Buffer } {
  const boundary = `svc-${randomBytes(16).toString('hex')}`
  const pieces = parts.flatMap(({ name, content }) => {
    const disposition = `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}`
    if (typeof content === 'string') return [Buffer.from(`${disposition}\r\n\r\n${content}\r\n`)]
    const type = MEDIA_TYPE.test(content.mediaType) ? content.mediaType : 'application/octet-stream'
    const head = `${disposition}; filename=${quoted(content.fileName)}\r\nContent-Type: ${type}\r\n\r\n`
    return [Buffer.from(head), content.bytes, Buffer.from('\r\n')]
  })
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}
