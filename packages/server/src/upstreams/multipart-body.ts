/** Writes `multipart/form-data` bodies with one streamed file. Source: RFC 7578; WHATWG HTML, form encoding. */
import { Readable } from 'node:stream'
import type { AudioFile } from './transcription-upstream.ts'

export interface MultipartBody {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

/** Names are quoted text: what would end the quotes or the line is written as a percent code. */
function quoted(name: string): string {
  const escaped = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return `"${escaped}"`
}

/** A media type as a header may hold it; anything else would write further headers. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/

function fieldPart(boundary: string, { name, value }: { readonly name: string; readonly value: string }): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}\r\n\r\n${value}\r\n`
}

function fileHeader(boundary: string, file: AudioFile): string {
  const type = file.contentType !== null && MEDIA_TYPE.test(file.contentType) ? file.contentType : null
  return (
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename=${quoted(file.filename ?? 'audio')}\r\n` +
    `Content-Type: ${type ?? 'application/octet-stream'}\r\n\r\n`
  )
}

/** Makes a form of fields and of a file named `file`. Its length is known before it is sent. */
export function createMultipartBody(
  fields: readonly { readonly name: string; readonly value: string }[],
  file: AudioFile,
): MultipartBody {
  const boundary = `svc-${crypto.randomUUID()}`
  const head = Buffer.from(fields.map((field) => fieldPart(boundary, field)).join('') + fileHeader(boundary, file))
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* pieces(): AsyncGenerator<Buffer> {
    yield head
    yield* file.stream() as AsyncIterable<Buffer>
    yield tail
  }
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.byteLength + tail.length),
    },
    body: Readable.from(pieces(), { objectMode: false }),
  }
}
