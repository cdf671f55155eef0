import type { IncomingHttpHeaders } from 'node:http'
import { Busboy } from '@fastify/busboy'
import { SandboxError } from '../sandbox-error.ts'

/** A request for media, whatever form it came in. */
export interface MediaBody {
  /** Members of the JSON, or fields of the form; fields are text, and those whose names repeat are lists. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Files of the form by field name, without `[]`. */
  readonly files: ReadonlyMap<string, readonly Buffer[]>
}

const FIELD_BYTES_MAX = 1_048_576

/**
 * Reads JSON or a form.
 * @throws {SandboxError} 400 for anything else.
 */
export async function parseMediaBody(headers: IncomingHttpHeaders, body: Buffer): Promise<MediaBody> {
  const type = headers['content-type'] ?? 'application/json'
  if (type.startsWith('multipart/form-data')) return parseForm({ ...headers, 'content-type': type }, body)
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    throw invalid('The body is not JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('The body is no object.')
  return { fields: value as Readonly<Record<string, unknown>>, files: new Map() }
}

function parseForm(headers: IncomingHttpHeaders & { 'content-type': string }, body: Buffer): Promise<MediaBody> {
  // A field may have any name, also one that every object has.
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const files = new Map<string, Buffer[]>()
  return new Promise((resolve, reject) => {
    const form = Busboy({ headers, limits: { fieldSize: FIELD_BYTES_MAX } })
    form.on('field', (name: string, value: string) => {
      const bare = name.replace(/\[\]$/, '')
      const known = fields[bare]
      fields[bare] =
        known === undefined && bare === name
          ? value
          : [...(Array.isArray(known) ? known : known === undefined ? [] : [known]), value]
    })
    form.on('file', (name: string, stream: NodeJS.ReadableStream) => {
      const pieces: Buffer[] = []
      const bare = name.replace(/\[\]$/, '')
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => files.set(bare, [...(files.get(bare) ?? []), Buffer.concat(pieces)]))
    })
    form.on('finish', () => resolve({ fields, files }))
    form.on('error', () => reject(invalid('The form cannot be read.')))
    form.end(body)
  })
}

/** @returns null where it is absent. @throws {SandboxError} 400 when it is no text. */
export function textAt({ fields }: MediaBody, name: string): string | null {
  const value = fields[name] ?? null
  if (value === null) return null
  if (typeof value !== 'string') throw invalid(`${name}: expected text`)
  return value
}

/** A number within bounds; forms carry numbers as text. @throws {SandboxError} 400 outside of them. */
export function numberAt(
  body: MediaBody,
  name: string,
  bounds: { readonly min: number; readonly max: number },
): number | null {
  const value = body.fields[name] ?? null
  if (value === null || value === '') return null
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || !(number >= bounds.min && number <= bounds.max)) {
    throw invalid(`${name}: expected a number from ${bounds.min} to ${bounds.max}`)
  }
  return number
}

export function flagAt({ fields }: MediaBody, name: string): boolean {
  return fields[name] === true || fields[name] === 'true'
}

export function invalid(message: string): SandboxError {
  return new SandboxError(400, 'invalid_request', message)
}

const DATA_URL = /^data:[\w.+/-]{0,80}(?:;[\w=+.-]{1,80}){0,8};base64,/

/**
 * Reads the bytes of a `data:` address.
 * @throws {SandboxError} 400 for an address elsewhere, which the sandbox never opens.
 */
export function bytesOfAddress(value: unknown): Buffer {
  const url = typeof value === 'object' && value !== null ? Reflect.get(value, 'url') : value
  if (typeof url !== 'string') throw invalid('An image has no address.')
  const head = DATA_URL.exec(url)?.[0]
  if (head === undefined) {
    throw new SandboxError(400, 'image_download_failed', 'The sandbox opens no address: send images as data URLs.')
  }
  return Buffer.from(url.slice(head.length), 'base64')
}
