/**
 * Secrets of second factors at rest: who reads the database, or a copy of it, must not be able to make their codes. The key
 * is made from the secret of the sessions, which the database does not hold.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

function keyOf(sessionSecret: string, userId: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', sessionSecret, userId, 'svc second factor', KEY_BYTES))
}

/** A sealed secret opens for its own person only. */
export function sealSecret(secret: Buffer, userId: string, sessionSecret: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(sessionSecret, userId), nonce)
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** Null where the secret of the sessions is another one by now, or the text is not whole. */
export function openSecret(sealed: string, userId: string, sessionSecret: string): Buffer | null {
  const bytes = Buffer.from(sealed, 'base64')
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(sessionSecret, userId), bytes.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}
