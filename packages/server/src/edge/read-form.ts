/** Reads a `multipart/form-data` body: its fields into memory, its files into the spool. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ServiceError } from '../platform/errors/service-error.ts'
import { refuseEncoding } from './read-json-body.ts'
import type { Spool } from '../platform/spool/spool.ts'
import type { SpooledFile } from '../platform/spool/spooled-file.ts'

/** A part without a file name. */
export interface FormField {
  /** As the client wrote it, `[]` included. */
  readonly name: string
  readonly value: string
}

/** A part with a file name, or of a type that no field has. */
export interface FormFile {
  readonly name: string
  /** As the client wrote it, without a path; null where there is none. */
  readonly filename: string | null
  /** In lower case, without parameters; null where there is none. */
  readonly contentType: string | null
  readonly content: SpooledFile
}

/** A form that was read whole. Fields and files are each in the order of their arrival. */
export interface Form {
  readonly fields: readonly FormField[]
  readonly files: readonly FormFile[]
  /** Gives back what the files keep. Calling it twice is harmless; it never rejects. */
  discard(): Promise<void>
}

/** What a form may be. */
export interface FormLimits {
  /** Bytes of one file; one more is 413. */
  readonly fileBytesMax: number
  readonly filesMax: number
  /** How long a client may send nothing, in milliseconds. */
  readonly stallMs: number
}

/** Parts without a file, and bytes of each and of all of them. Source: own choice. */
const FIELDS_MAX = 128
const FIELD_BYTES_MAX = 64 * 1024
const FIELDS_BYTES_MAX = 512 * 1024
/** Headers of one part, in bytes, and their number. Source: own choice. */
const PART_HEADER_BYTES = 8 * 1024
const PART_HEADERS = 32
/** Most bytes of a form beside those of its files. */
const OVERHEAD_BYTES = FIELDS_BYTES_MAX + 2 * FIELDS_MAX * PART_HEADER_BYTES
/** Longest name of a part and of a file, in UTF-16 units. Source: own choice; file systems end at 255. */
const NAME_LENGTH_MAX = 255

const FORM_TYPE = /^multipart\/form-data\s*(?:;|$)/i

/** The rest of the body may be without an end, so the connection cannot carry another request. */
const CLOSE = { headers: { connection: 'close' } } as const

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('request_too_large', `The file is larger than ${bytesMax} bytes.`, {
    param: 'file',
    ...CLOSE,
  })
}

function malformed(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_form', message, { cause })
}

function createParser(request: IncomingMessage, { filesMax }: FormLimits): BusboyInstance {
  refuseEncoding(request.headers)
  const type = request.headers['content-type']
  if (type === undefined || !FORM_TYPE.test(type)) {
    throw new ServiceError('unsupported_media_type', 'The content type must be multipart/form-data.')
  }
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      // Every part is read here: a field's text is decoded as UTF-8, whatever character set its header names.
      isPartAFile: () => true,
      // Parts without a name or without anything are parts, too: each costs as much as any other.
      limits: { headerSize: PART_HEADER_BYTES, headerPairs: PART_HEADERS, parts: FIELDS_MAX + filesMax },
    })
  } catch (error) {
    throw malformed('The content type names no boundary.', error)
  }
}

/** A part as the parser hands it over; whether it is a field is decided here. */
interface Part {
  readonly filename: string | undefined
  readonly contentType: string
  readonly bytes: Readable
}

/** What the parser reports of a part: name, content, file name, encoding, type. */
type FilePart = [string | undefined, Readable, string | undefined, string, string]

/** Whether a part is a file: it has a file name, or a type that no field of text has. */
function isFile({ filename, contentType }: Part): boolean {
  return filename !== undefined || !(contentType === 'text/plain' || contentType === 'application/json')
}

/** Takes the parts of one form, one after the other. */
class FormReader {
  readonly fields: FormField[] = []
  readonly files: FormFile[] = []
  readonly #spool: Spool
  readonly #limits: FormLimits
  #fieldBytes = 0

  constructor(spool: Spool, limits: FormLimits) {
    this.#spool = spool
    this.#limits = limits
  }

  async discard(): Promise<void> {
    await Promise.all(this.files.map(({ content }) => content.discard()))
  }

  /** Takes one part. @throws {ServiceError} for a part that may not be. */
  async read(name: string | undefined, part: Part): Promise<void> {
    if (name === undefined || name === '' || name.length > NAME_LENGTH_MAX) {
      throw malformed('A part of the form has no name, or too long a one.')
    }
    return isFile(part) ? this.#readFile(name, part) : this.#readField(name, part.bytes)
  }

  async #readFile(name: string, part: Part): Promise<void> {
    const { filesMax, fileBytesMax } = this.#limits
    if (this.files.length >= filesMax) {
      const most = filesMax === 1 ? 'one file' : `${filesMax} files`
      throw new ServiceError('invalid_value', `Invalid value for '${name}': expected at most ${most}.`, { param: name })
    }
    const filename = part.filename === undefined || part.filename === '' ? null : part.filename.slice(-NAME_LENGTH_MAX)
    const content = this.#spool.create()
    this.files.push({ name, filename, contentType: part.contentType, content })
    for await (const chunk of part.bytes as AsyncIterable<Buffer>) {
      if (content.byteLength + chunk.length > fileBytesMax) throw tooLarge(fileBytesMax)
      await content.append(chunk)
    }
  }

  async #readField(name: string, bytes: Readable): Promise<void> {
    if (this.fields.length >= FIELDS_MAX) throw malformed(`The form has more than ${FIELDS_MAX} fields.`)
    // Its place is taken at once: a part that comes later may be read sooner.
    const place = this.fields.push({ name, value: '' }) - 1
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      length += chunk.length
      this.#fieldBytes += chunk.length
      if (length > FIELD_BYTES_MAX || this.#fieldBytes > FIELDS_BYTES_MAX) {
        throw new ServiceError('invalid_value', `Invalid value for '${name}': the text is too long.`, { param: name })
      }
      chunks.push(chunk)
    }
    const text = Buffer.concat(chunks)
    if (!isUtf8(text)) {
      throw new ServiceError('invalid_value', `Invalid value for '${name}': expected UTF-8 text.`, { param: name })
    }
    this.fields[place] = { name, value: text.toString('utf8') }
  }
}

/** The longest body of a form, in bytes: preambles, unnamed parts and headers count. */
function bodyBytesMax({ fileBytesMax, filesMax }: FormLimits): number {
  return fileBytesMax * filesMax + OVERHEAD_BYTES
}

/** Ends a form whose client sends nothing for too long, or more than any form may have. */
function watchBody(request: IncomingMessage, limits: FormLimits, onEnd: (error: ServiceError) => void): () => void {
  const timer = setTimeout(() => {
    onEnd(new ServiceError('request_timeout', 'The request took too long to arrive.', CLOSE))
  }, limits.stallMs)
  let bytes = 0
  const count = (chunk: Buffer): void => {
    timer.refresh()
    bytes += chunk.length
    if (bytes > bodyBytesMax(limits)) onEnd(tooLarge(limits.fileBytesMax))
  }
  request.on('data', count)
  return () => {
    clearTimeout(timer)
    request.off('data', count)
  }
}

/** Feeds a request to the parser and hands its parts to the reader; resolves when the last of them was taken. */
function parseForm(request: IncomingMessage, reader: FormReader, limits: FormLimits): Promise<void> {
  const parser = createParser(request, limits)
  return new Promise((resolve, reject) => {
    let isOver = false
    const parts: Promise<void>[] = []
    const streams: Readable[] = []
    const finish = (settle: () => void): void => {
      if (isOver) return
      isOver = true
      stopWatch()
      request.off('close', onClose)
      settle()
    }
    const fail = (error: unknown): void =>
      finish(() => {
        request.unpipe(parser)
        // What is still on its way is read and dropped, so that the client comes to read the answer.
        request.resume()
        parser.destroy()
        for (const stream of streams) stream.destroy()
        reject(error instanceof Error ? error : new Error(String(error)))
      })
    const onClose = (): void => {
      if (!request.readableEnded) fail(malformed('The body ended before it was complete.'))
    }
    const stopWatch = watchBody(request, limits, fail)
    request.on('close', onClose)
    request.on('error', (cause) => fail(malformed('The body ended before it was complete.', cause)))
    parser.on('error', (cause) => fail(malformed('The form is not well-formed.', cause)))
    parser.on('file', (...[name, bytes, filename, , contentType]: FilePart) => {
      // Whatever becomes of the form, no other code listens to the end of this part.
      bytes.on('error', () => undefined)
      streams.push(bytes)
      parts.push(reader.read(name, { bytes, filename, contentType }).catch(fail))
    })
    parser.on('partsLimit', () => fail(malformed(`The form has more than ${FIELDS_MAX + limits.filesMax} parts.`)))
    parser.on('finish', () => {
      void Promise.all(parts).then(() => finish(resolve))
    })
    // A client that left while the key was looked up sends no more events.
    if (request.destroyed) return onClose()
    request.pipe(parser)
  })
}

/**
 * Reads a form. Parts may come in any order.
 *
 * @throws {ServiceError} 400 for what is no form, 413 for too large a file, 408 for a client that stalls, 503 when
 *   there is no room. Nothing is kept then.
 */
export async function readForm(request: IncomingMessage, spool: Spool, limits: FormLimits): Promise<Form> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > bodyBytesMax(limits)) throw tooLarge(limits.fileBytesMax)
  const reader = new FormReader(spool, limits)
  try {
    await parseForm(request, reader, limits)
  } catch (error) {
    await reader.discard()
    throw error
  }
  return { fields: reader.fields, files: reader.files, discard: () => reader.discard() }
}
