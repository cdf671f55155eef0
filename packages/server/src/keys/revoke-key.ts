import type { Clock } from '../runtime/clock.ts'
import type { KeyStore } from './key-store.ts'

export interface RevokeKeyDeps {
  readonly store: Pick<KeyStore, 'find' | 'revoke'>
  readonly clock: Clock
}

export type RevokeKeyResult = 'revoked' | 'already_revoked' | 'unknown_key'

/**
 * Ends a key for good. From the moment of the answer no request can start with it on any gateway process, because
 * the money operation that admits a request checks the row itself; what runs already ends when each process next
 * polls for revocations.
 */
export async function revokeKey(deps: RevokeKeyDeps, keyId: string): Promise<RevokeKeyResult> {
  if (await deps.store.revoke(keyId, deps.clock.now())) return 'revoked'
  return (await deps.store.find(keyId)) === null ? 'unknown_key' : 'already_revoked'
}
