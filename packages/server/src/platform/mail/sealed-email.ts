/**
 * Emails at rest. A sign-in email holds a link that lets its reader in: who reads the database, or a copy of it,
 * must not read that. The key is made from the secret of the sessions, which the database does not hold.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { MailContent } from './mailer.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

function sealKey(secret: string, mailId: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, mailId, 'svc letter', KEY_BYTES))
}

/** Seals what an email says. A sealed email opens under its own id only. */
export function sealEmail(content: MailContent, mailId: string, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, sealKey(secret, mailId), nonce)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/**
 * Opens what `sealEmail` made.
 *
 * @param sealed base64; emails that are older than sealing are JSON text.
 * @returns null when the secret is another one by now, or the text is not whole.
 */
export function openEmail(sealed: string, mailId: string, secret: string): MailContent | null {
  const text = sealed.startsWith('{') ? sealed : unseal(sealed, mailId, secret)
  return text === null ? null : contentFrom(text)
}

function unseal(sealed: string, mailId: string, secret: string): string | null {
  const bytes = Buffer.from(sealed, 'base64')
  try {
    const decipher = createDecipheriv(CIPHER, sealKey(secret, mailId), bytes.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null
  }
}

function contentFrom(json: string): MailContent | null {
  const { subject, text, html } = Object(JSON.parse(json)) as Readonly<Record<string, unknown>>
  if (typeof subject !== 'string' || typeof text !== 'string' || typeof html !== 'string') return null
  return { subject, text, html }
}
