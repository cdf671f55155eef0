/**
 * Room `keys`: API keys as secrets and as rows. It knows what a key may do, never what it costs; spending is the
 * ledger's. Invariant: a raw key exists in one answer and in its owner's hands, and nowhere else.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Every key begins with it, so that people and scanners recognise one. Source: spec 1. */
export const KEY_PREFIX = 'sk-svc-'

/** Length of the body: 32 random bytes in base 62. */
const BODY_LENGTH = 43
/** Length of the checksum: 32 bits in base 62. */
const CHECKSUM_LENGTH = 6
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const WELL_FORMED = /^sk-svc-[0-9A-Za-z]{49}$/
/** How many characters after the prefix a display form shows. */
const SHOWN = 4

/**
 * Makes a new raw key: the prefix, 256 random bits, and a checksum that lets a client reject a typing error without
 * asking us.
 */
export function createRawKey(): string {
  return rawKeyOf(randomBytes(32))
}

/**
 * The key of a use that comes again, so that it can be told again and is kept nowhere: only who has the pepper can
 * make it.
 *
 * @param use names the use, and no other.
 */
export function deriveRawKey(use: readonly string[], pepper: string): string {
  return rawKeyOf(createHmac('sha256', pepper).update(JSON.stringify(use)).digest())
}

function rawKeyOf(secret: Buffer): string {
  const start = KEY_PREFIX + base62(BigInt(`0x${secret.toString('hex')}`), BODY_LENGTH)
  return start + checksum(start)
}

/**
 * Tells whether a text has the form and the checksum of a key. Says nothing about its existence.
 *
 * @param text from a client, unparsed.
 */
export function isWellFormedKey(text: string): boolean {
  if (!WELL_FORMED.test(text)) return false
  const start = text.slice(0, -CHECKSUM_LENGTH)
  return text.endsWith(checksum(start))
}

/**
 * The form of a key that is stored: HMAC-SHA-256 under a pepper, as 64 hex digits.
 *
 * A slow hash would add nothing to 256 random bits and would be a handle for floods. The pepper stays outside the
 * database, so that its reader cannot test a key and its writer cannot plant one.
 * Source: NIST SP 800-63B 5.1.2.2 (plain approved hashes suffice for secrets of 112 bits and more).
 */
export function hashKey(rawKey: string, pepper: string): string {
  return createHmac('sha256', pepper).update(rawKey).digest('hex')
}

/** The form of a key that people see after its making: prefix, four characters, an ellipsis and the last four. */
export function displayOfKey(rawKey: string): string {
  return `${rawKey.slice(0, KEY_PREFIX.length + SHOWN)}…${rawKey.slice(-SHOWN)}`
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_LENGTH)
}

function base62(value: bigint, length: number): string {
  let rest = value
  let text = ''
  while (text.length < length) {
    text = DIGITS.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}
