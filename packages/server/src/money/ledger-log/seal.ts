/**
 * What tells which row was changed even where someone has changed the rows, the tiles and everything else in the
 * database to match: the name of each entry and the beginning of its leaf's hash, encrypted with a key that the database
 * does not have.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Bytes of each leaf's hash that are kept. */
export const SEALED_BYTES = 8

const CIPHER = 'aes-256-gcm'
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const COUNT_BYTES = 4

/** What seals: a key, and the four bytes by which it is known. */
export interface SealKey {
  readonly keyId: Uint8Array
  /** 32 bytes. */
  readonly secret: Uint8Array
}

/** Which leaves a seal is for. Another place in the log, or another log, does not open it. */
export interface SealedPlace {
  readonly origin: string
  readonly firstIndex: number
}

/** An entry as it was put down. */
export interface SealedLeaf {
  /** Mark and id as JSON. */
  readonly entryJson: string
  readonly hash: Uint8Array
}

/**
 * Seals leaves: key id ‖ nonce ‖ encrypted ‖ tag. Encrypted are how many there are in four bytes, the beginnings of their
 * hashes, and a line for each name.
 */
export function sealLeaves({ keyId, secret }: SealKey, place: SealedPlace, leaves: readonly SealedLeaf[]): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, secret, nonce).setAAD(nameOf(place))
  const hashes = Buffer.concat(leaves.map(({ hash }) => hash.subarray(0, SEALED_BYTES)))
  const count = Buffer.alloc(COUNT_BYTES)
  count.writeUInt32BE(leaves.length)
  const names = leaves.map(({ entryJson }) => entryJson).join('\n')
  return Buffer.concat([
    ...[keyId, nonce, cipher.update(count), cipher.update(hashes), cipher.update(names, 'utf8')],
    ...[cipher.final(), cipher.getAuthTag()],
  ])
}

/**
 * Opens a seal.
 *
 * @returns the leaves that were put down there, with the beginnings of their hashes; `no_key` where it was made with a
 *   key that is not here, `broken` where it is not the seal of this place.
 */
export function openSeal(
  keys: readonly SealKey[],
  place: SealedPlace,
  seal: Uint8Array,
): readonly SealedLeaf[] | 'no_key' | 'broken' {
  const key = keys.find(({ keyId }) => Buffer.compare(keyId, seal.subarray(0, KEY_ID_BYTES)) === 0)
  if (key === undefined) return seal.length < KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES ? 'broken' : 'no_key'
  const nonce = seal.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key.secret, nonce).setAAD(nameOf(place))
  try {
    decipher.setAuthTag(seal.subarray(-TAG_BYTES))
    const body = seal.subarray(KEY_ID_BYTES + NONCE_BYTES, -TAG_BYTES)
    return leavesFrom(Buffer.concat([decipher.update(body), decipher.final()]))
  } catch {
    return 'broken'
  }
}

function leavesFrom(plain: Buffer): readonly SealedLeaf[] {
  const count = plain.readUInt32BE(0)
  const names = plain.toString('utf8', COUNT_BYTES + count * SEALED_BYTES).split('\n')
  return Array.from({ length: count }, (_value, at) => ({
    entryJson: names[at] ?? '',
    hash: plain.subarray(COUNT_BYTES + at * SEALED_BYTES, COUNT_BYTES + (at + 1) * SEALED_BYTES),
  }))
}

function nameOf({ origin, firstIndex }: SealedPlace): Buffer {
  return Buffer.from(`${origin}\n${firstIndex}`)
}
