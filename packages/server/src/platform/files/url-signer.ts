import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../runtime/clock.ts'

/** What an address carries beside its path, as it came: unparsed. */
export interface SignedQuery {
  readonly expires?: unknown
  readonly signature?: unknown
}

/** Makes addresses that open one thing for a while, for their holder. */
export interface UrlSigner {
  /**
   * Adds expiry and signature to a path. A query in the path is signed with it, so it must come back in the same form.
   * @param path from the slash after `/api` on, such as `/v1/media/…`.
   * @param expiresAt integer milliseconds; kept as whole seconds, rounded up.
   */
  sign(path: string, expiresAt: number): string
  /** Says what an address is worth. `path` is what `sign` was given. */
  verify(path: string, query: SignedQuery): 'valid' | 'expired' | 'wrong'
}

export interface UrlSignerDeps {
  /** The first signs; each is believed. */
  readonly secrets: readonly [string, ...string[]]
  readonly clock: Clock
}

const EXPIRES = /^\d{1,12}$/

/** Signs with HMAC-SHA256. The purpose is part of what is signed, so that the secret may have other uses. */
export function createUrlSigner({ secrets, clock }: UrlSignerDeps): UrlSigner {
  return {
    sign: (path, expiresAt) => {
      const expires = String(Math.ceil(expiresAt / 1_000))
      const signature = signatureOf(secrets[0], path, expires).toString('base64url')
      return `${path}${path.includes('?') ? '&' : '?'}expires=${expires}&signature=${signature}`
    },
    verify: (path, { expires, signature }) => {
      if (typeof expires !== 'string' || typeof signature !== 'string' || !EXPIRES.test(expires)) return 'wrong'
      const given = Buffer.from(signature, 'base64url')
      const isRight = secrets.some((secret) => isEqual(given, signatureOf(secret, path, expires)))
      if (!isRight) return 'wrong'
      return Number(expires) * 1_000 > clock.now() ? 'valid' : 'expired'
    },
  }
}

function signatureOf(secret: string, path: string, expires: string): Buffer {
  return createHmac('sha256', secret).update(`svc url 1\n${expires}\n${path}`).digest()
}

function isEqual(given: Buffer, right: Buffer): boolean {
  return given.length === right.length && timingSafeEqual(given, right)
}
