/**
 * Bytes at rest that only the gateway reads: who has the store alone reads nothing, and who changes, cuts or swaps a
 * piece is found out. Each file has a key of its own, made from a secret of the deployment and a salt; its pieces are
 * counted, and the last says that it is the last, so that any part can be read without the rest.
 *
 * Source: Hoang, Reyhanitabar, Rogaway and Vizár, "Online Authenticated-Encryption and its Nonce-Reuse
 * Misuse-Resistance" (the STREAM construction); AES-256-GCM.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** A secret of the deployment, with the number by which it is found again. */
export interface VersionedSecret {
  readonly version: number
  readonly secret: string
}

/** Where a part of a sealed file is; both ends belong to it. */
interface SealedRange {
  readonly start: number
  readonly end: number
}

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const TAG_BYTES = 16
const SALT_BYTES = 16
/** The number of the secret, and the salt. */
const HEAD_BYTES = 4 + SALT_BYTES
/** Bytes of a piece before it is sealed. Source: own choice. */
const PIECE_BYTES = 64 * 1024
const SEALED_PIECE_BYTES = PIECE_BYTES + TAG_BYTES

function piecesOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / PIECE_BYTES))
}

/** How long so many bytes are once they are sealed. */
export function sealedLength(bytes: number): number {
  return HEAD_BYTES + bytes + piecesOf(bytes) * TAG_BYTES
}

function keyOf(secret: string, salt: Buffer): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, salt, 'svc sealed file', KEY_BYTES))
}

/** The key is of one file, so a count is enough: no nonce comes twice under it. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 7)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function sealPiece(key: Uint8Array, index: number, isLast: boolean, bytes: Buffer): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonceOf(index, isLast))
  return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

/** @throws {Error} for a piece that is not what was sealed at this place. */
function openPiece(key: Uint8Array, index: number, isLast: boolean, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, nonceOf(index, isLast))
  const end = sealed.length - TAG_BYTES
  decipher.setAuthTag(sealed.subarray(end))
  return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()])
}

/** Gathers bytes into pieces of one length, whatever lengths they come in; the last may be shorter, or empty. */
async function* inPieces(source: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let waitingBytes = 0
  for await (const bytes of source) {
    waiting.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    waitingBytes += bytes.byteLength
    if (waitingBytes <= length) continue
    const joined = Buffer.concat(waiting, waitingBytes)
    let at = 0
    // What may be the last piece waits for the next bytes.
    for (; joined.length - at > length; at += length) yield joined.subarray(at, at + length)
    waiting = [joined.subarray(at)]
    waitingBytes = joined.length - at
  }
  yield Buffer.concat(waiting, waitingBytes)
}

/** Seals a stream. Read once, piece by piece. */
export async function* sealBytes(
  { version, secret }: VersionedSecret,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES)
  const key = keyOf(secret, salt)
  const head = Buffer.alloc(4)
  head.writeUInt32BE(version)
  yield Buffer.concat([head, salt])
  let index = 0
  let last: Buffer | null = null
  for await (const piece of inPieces(source, PIECE_BYTES)) {
    if (last !== null) yield sealPiece(key, index++, false, last)
    last = piece
  }
  yield sealPiece(key, index, true, last ?? Buffer.alloc(0))
}

async function joined(stream: AsyncIterable<unknown> | null): Promise<Buffer | null> {
  if (stream === null) return null
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A sealed file that can be read from any place. */
export interface SealedSource {
  /** Bytes of the whole, before it was sealed. */
  readonly bytes: number
  /** Reads a part of what is stored; null where the file is gone. */
  readonly read: (range: SealedRange) => Promise<AsyncIterable<unknown> | null>
  /** Each may have sealed it. */
  readonly secrets: readonly VersionedSecret[]
}

/**
 * Opens a part of a sealed file.
 *
 * @param range of the bytes before they were sealed; both ends belong to it, and lie within the file.
 * @returns null where the file or its secret is gone.
 * @throws {Error} while it is read, for bytes that are not those that were sealed.
 */
export async function openSealed(
  { bytes, read, secrets }: SealedSource,
  range: SealedRange,
): Promise<AsyncGenerator<Buffer> | null> {
  const head = await joined(await read({ start: 0, end: HEAD_BYTES - 1 }))
  if (head === null || head.length < HEAD_BYTES) return null
  const version = head.readUInt32BE(0)
  const found = secrets.find((secret) => secret.version === version)
  if (found === undefined) return null
  const key = keyOf(found.secret, head.subarray(4))
  const first = Math.floor(range.start / PIECE_BYTES)
  const last = Math.floor(range.end / PIECE_BYTES)
  const end = Math.min(HEAD_BYTES + (last + 1) * SEALED_PIECE_BYTES, sealedLength(bytes)) - 1
  const sealed = await read({ start: HEAD_BYTES + first * SEALED_PIECE_BYTES, end })
  if (sealed === null) return null
  return openPieces(sealed as AsyncIterable<Uint8Array>, { key, first, count: piecesOf(bytes), range })
}

interface PiecesToOpen {
  readonly key: Uint8Array
  readonly first: number
  /** Pieces of the whole file. */
  readonly count: number
  readonly range: SealedRange
}

async function* openPieces(
  sealed: AsyncIterable<Uint8Array>,
  { key, first, count, range }: PiecesToOpen,
): AsyncGenerator<Buffer> {
  let index = first
  for await (const piece of inPieces(sealed, SEALED_PIECE_BYTES)) {
    const opened = openPiece(key, index, index === count - 1, piece)
    const offset = index * PIECE_BYTES
    yield opened.subarray(Math.max(0, range.start - offset), range.end - offset + 1)
    index++
  }
  const wanted = Math.floor(range.end / PIECE_BYTES) + 1
  if (index !== wanted) throw new Error('A sealed file is shorter than it was.')
}
