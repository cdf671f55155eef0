import type { Clock } from '../runtime/clock.ts'
import type { KeyStore } from './key-store.ts'

export interface RevokeKeyDeps {
  readonly store: Pick<KeyStore, 'find' | 'revoke'>
  readonly clock: Clock
}

export type RevokeKeyResult = 'revoked' | 'already_revoked' | 'unknown_key'

/**
 * Ends a key for good. No request can start with it on any gateway process, because the money operation that admits a
 * request checks the row itself; only operations that were being committed at the moment of the answer may still be
 * admitted. They, and what runs already, end when each process next polls for revocations.
 */
export async function revokeKey(deps: RevokeKeyDeps, keyId: string): Promise<RevokeKeyResult> {
  if (await deps.store.revoke(keyId, deps.clock.now())) return 'revoked'
  return (await deps.store.find(keyId)) === null ? 'unknown_key' : 'already_revoked'
}
