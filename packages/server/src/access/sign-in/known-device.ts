/**
 * The cookie of a browser in which an account has signed in before. It opens nothing: it lets that browser try passwords
 * while strangers have used up the attempts of the account. Source: OWASP, "Device cookies".
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const DEVICE_COOKIE = 'device'

const ID_BYTES = 16
const FORM = /^([0-9a-f]{32})\.([0-9a-f]{64})$/
/** The longest that browsers keep a cookie. Source: RFC 6265bis section 5.6.2, 400 days. */
const MAX_AGE_SECONDS = 400 * 86_400

export interface KnownDevice {
  readonly secret: string
  /** The whole name of the cookie. */
  readonly cookieName: string
  /** The header `Cookie`. */
  readonly cookies: string | null
  readonly email: string
}

function sign(secret: string, id: string, email: string): string {
  return createHmac('sha256', secret).update(`known device\n${id}\n${email.toLowerCase()}`).digest('hex')
}

/** @returns the browser's id; null where this account has never signed in there. */
export function recogniseDevice({ secret, cookieName, cookies, email }: KnownDevice): string | null {
  for (const pair of cookies?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=')
    const [, id, signature] = name === cookieName ? (FORM.exec(value) ?? []) : []
    if (id === undefined || signature === undefined) continue
    const expected = Buffer.from(sign(secret, id, email), 'hex')
    if (timingSafeEqual(expected, Buffer.from(signature, 'hex'))) return id
  }
  return null
}

/** The header that makes a browser known to an account. */
export function deviceCookie(
  { secret, cookieName }: Pick<KnownDevice, 'secret' | 'cookieName'>,
  email: string,
  isSecure: boolean,
): string {
  const id = randomBytes(ID_BYTES).toString('hex')
  const attributes = `Max-Age=${MAX_AGE_SECONDS}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return `${cookieName}=${id}.${sign(secret, id, email)}; ${attributes}`
}
