import { randomBytes } from 'node:crypto'
import type { VideoFile } from '../video-upstream.ts'

/** A body as a form, and the header that says where its parts end. */
export interface FormBody {
  readonly contentType: string
  readonly body: Buffer
}

/** Replaces what a header of a part may not hold. */
function quoted(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, ' ').replaceAll('"', '%22')
}

/** Writes fields and one file as a multipart form. Source: RFC 7578. */
export function writeVideoForm(
  fields: Readonly<Record<string, string>>,
  file: { readonly field: string; readonly content: VideoFile },
): FormBody {
  const boundary = `svc-${randomBytes(16).toString('hex')}`
  const parts = Object.entries(fields).map(([name, value]) =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`),
  )
  const { name, contentType, bytes } = file.content
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="${file.field}"; filename="${quoted(name)}"\r\n` +
    `content-type: ${quoted(contentType)}\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
