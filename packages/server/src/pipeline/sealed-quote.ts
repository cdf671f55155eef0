/**
 * Quotes as texts that their callers keep: nothing is stored, and any process of the deployment can read them. A text is
 * sealed with a key made of a pepper and the caller's key, so that it says nothing to anyone, cannot be made or changed,
 * and is none for another caller.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { nanocreditsOf } from '@svc/contract'
import type { SealSecret } from '../admission/idempotency/sealed-answer.ts'
import type { Quote } from './quote.ts'

const PREFIX = 'quote_'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The form of the content. Another one is unknown, as after a change of the form: quotes are short-lived. */
const FORM = 1
/** Longest content before it is packed, in bytes. Source: own choice, above that of the longest price list. */
const CONTENT_BYTES_MAX = 256 * 1_024

/** What a text must look like to be a quote at all. */
export const QUOTE_FORM = /^quote_[A-Za-z0-9_-]{40,12000}$/

/** Makes and reads quotes of a deployment. */
export interface QuoteSeal {
  /** @param keyId whose quote it is. */
  seal(keyId: string, quote: Quote): string
  /** Null for what is no quote of this key. */
  open(keyId: string, text: string): Quote | null
}

function sealKey(secret: string, keyId: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, keyId, 'svc quote', KEY_BYTES))
}

/** Amounts are texts, marked as what they are. */
function pack(quote: Quote): Buffer {
  const amounts = (_name: string, value: unknown): unknown =>
    typeof value === 'bigint' ? { amount: value.toString() } : value
  return deflateRawSync(JSON.stringify(quote, amounts))
}

function unpack(packed: Buffer): Quote {
  const amounts = (_name: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'amount' in value
      ? nanocreditsOf(BigInt(String(value.amount)))
      : value
  const text = inflateRawSync(packed, { maxOutputLength: CONTENT_BYTES_MAX }).toString('utf8')
  // No one without the pepper can make a text that opens.
  return JSON.parse(text, amounts) as Quote
}

/** @param secrets of the deployment, the newest first; older ones still open what they sealed. */
export function createQuoteSeal(secrets: readonly [SealSecret, ...SealSecret[]]): QuoteSeal {
  return {
    seal(keyId, quote) {
      const [{ version, secret }] = secrets
      const head = Buffer.from([FORM, version & 0xff])
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, sealKey(secret, keyId), nonce).setAAD(head)
      const sealed = Buffer.concat([cipher.update(pack(quote)), cipher.final()])
      return `${PREFIX}${Buffer.concat([head, nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`
    },
    open(keyId, text) {
      const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url')
      const [form, version] = bytes
      const head = bytes.subarray(0, 2)
      const nonce = bytes.subarray(2, 2 + NONCE_BYTES)
      const rest = bytes.subarray(2 + NONCE_BYTES)
      const found = secrets.find((each) => (each.version & 0xff) === version)
      if (form !== FORM || found === undefined || rest.length < TAG_BYTES) return null
      try {
        const decipher = createDecipheriv(CIPHER, sealKey(found.secret, keyId), nonce, { authTagLength: TAG_BYTES })
        decipher.setAAD(head).setAuthTag(rest.subarray(0, TAG_BYTES))
        return unpack(Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()]))
      } catch {
        return null
      }
    },
  }
}
