/**
 * Answers at rest. The key is made from a pepper and the caller's own Idempotency-Key, which is kept as a hash alone:
 * who has the database reads no answer.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** A secret of the deployment, with the number by which it is found again. */
export interface SealSecret {
  readonly version: number
  readonly secret: string
}

/** What an answer was, as it is given again. */
export interface KeptAnswer {
  readonly contentType: string
  /** Beside the content type: those that state the charge. */
  readonly headers: Readonly<Record<string, string>>
  /** Text, or base64 where `isBinary`. */
  readonly body: string
  /** False when absent. */
  readonly isBinary?: boolean
}

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

function sealKey(secret: string, keyId: string, name: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, keyId, `svc idempotent answer ${name}`, KEY_BYTES))
}

/** Seals an answer. @param name the caller's Idempotency-Key. */
export function sealAnswer({ version, secret }: SealSecret, keyId: string, name: string, answer: KeptAnswer): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, sealKey(secret, keyId, name), nonce)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()])
  return `${version}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')}`
}

/** Opens what `sealAnswer` made; null when its secret is gone or the text is not whole. */
export function openAnswer(
  secrets: readonly SealSecret[],
  keyId: string,
  name: string,
  sealed: string,
): KeptAnswer | null {
  const [version, text = ''] = sealed.split('.')
  const found = secrets.find((secret) => String(secret.version) === version)
  if (found === undefined) return null
  const bytes = Buffer.from(text, 'base64')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  try {
    const decipher = createDecipheriv(CIPHER, sealKey(found.secret, keyId, name), nonce)
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
    return JSON.parse(opened.toString('utf8')) as KeptAnswer
  } catch {
    return null
  }
}
