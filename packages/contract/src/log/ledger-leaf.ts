/**
 * How an entry of the ledger log becomes the bytes of a leaf: `salt ‖ canonical JSON`. The entry names the digest of the
 * usage record, and a salted digest of what only the operator sees, so that either can be shown or kept alone.
 */
import { bytesOfText, hexOf, joinBytes } from './bytes.ts'
import { canonicalJson } from './canonical-json.ts'
import type { LedgerEntry, LedgerRecord, OperatorRecord } from './ledger-entry.ts'
import type { Sha256 } from './log-crypto.ts'

/** Bytes of a salt: a person who knows an entry but not its salt cannot find its leaf. */
export const SALT_BYTES = 16

/** The digest of a usage record: SHA-256 of its canonical JSON, as lower-case hex. */
export function recordDigest(sha256: Sha256, record: LedgerRecord): string {
  return hexOf(sha256(bytesOfText(canonicalJson({ ...record }))))
}

/** The digest of what only the operator sees: SHA-256(salt ‖ canonical JSON), as lower-case hex. */
export function operatorDigest(sha256: Sha256, salt: Uint8Array, record: OperatorRecord): string {
  return hexOf(sha256(joinBytes(salt, bytesOfText(canonicalJson({ ...record })))))
}

/** The data of a leaf, which RFC 6962 hashes. */
export function leafData(salt: Uint8Array, entry: LedgerEntry): Uint8Array {
  return joinBytes(salt, bytesOfText(canonicalJson({ ...entry })))
}
