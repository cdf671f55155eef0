/** Codes of authenticator apps. Source: RFC 6238 with SHA-1, six digits and 30 seconds, which every app knows. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const STEP_MS = 30_000
const DIGITS = 6
/** Source: RFC 4226 section 4, R6: 160 bits are recommended. */
const SECRET_BYTES = 20
/** A clock may be so many steps off, to each side. Source: RFC 6238 section 5.2. */
const STEPS_OFF = 1
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function createTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The step of a time, in milliseconds since the epoch. */
export function totpStep(now: number): number {
  return Math.floor(now / STEP_MS)
}

/** The code of a step. Source: RFC 4226 section 5.3. */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(counter).digest()
  const at = (hash.at(-1) ?? 0) & 0x0f
  const value = hash.readUInt32BE(at) & 0x7fffffff
  return String(value % 10 ** DIGITS).padStart(DIGITS, '0')
}

/**
 * The step that a code belongs to, of those around now.
 *
 * @param code from a person; blanks are left out.
 * @returns null when it is none of them.
 */
export function findTotpStep(secret: Buffer, code: string, now: number): number | null {
  const typed = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(typed)) return null
  const present = totpStep(now)
  for (let step = present - STEPS_OFF; step <= present + STEPS_OFF; step += 1) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(typed))) return step
  }
  return null
}

/** The secret as apps take it by hand. Source: RFC 4648 section 6, without padding. */
export function base32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      text += BASE32.charAt((value >>> (bits - 5)) & 31)
      bits -= 5
      value &= (1 << bits) - 1
    }
  }
  return bits === 0 ? text : text + BASE32.charAt((value << (5 - bits)) & 31)
}

/** What an app reads from a QR code. Source: the Key URI format of authenticator apps. */
export function totpAddress(secret: Buffer, { issuer, person }: { readonly issuer: string; readonly person: string }) {
  const query = new URLSearchParams({ secret: base32(secret), issuer })
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(person)}?${query.toString()}`
}
