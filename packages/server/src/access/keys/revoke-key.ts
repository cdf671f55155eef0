import type { Clock } from '../../platform/runtime/clock.ts'
import type { KeyStore } from './key-store.ts'

export interface RevokeKeyDeps {
  readonly store: Pick<KeyStore, 'find' | 'revoke'>
  readonly clock: Clock
}

export interface RevokeKeyResult {
  readonly status: 'revoked' | 'already_revoked' | 'unknown_key'
  /** How many keys that were mirrored through it ended with it. */
  readonly mirrors: number
}

/**
 * Ends a key for good, and every key that was mirrored through it. No request can start with them on any gateway
 * process, because the money operation that admits a request checks the rows itself; only operations that were being
 * committed at the moment of the answer may still be admitted. They, and what runs already, end when each process next
 * polls for revocations.
 */
export async function revokeKey(deps: RevokeKeyDeps, keyId: string): Promise<RevokeKeyResult> {
  const { isRevoked, mirrors } = await deps.store.revoke(keyId, deps.clock.now())
  if (isRevoked) return { status: 'revoked', mirrors }
  return { status: (await deps.store.find(keyId)) === null ? 'unknown_key' : 'already_revoked', mirrors }
}
