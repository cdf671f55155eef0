import type { Clock } from '../runtime/clock.ts'
import type { KeyStore } from './key-store.ts'
import type { MirrorStore } from './mirror-store.ts'

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

/**
 * Revokes every key that was mirrored through a key, and through those in turn. Call it after the key itself was
 * revoked, since until then it can mirror more.
 *
 * @returns how many were revoked.
 */
export async function revokeMirrors(
  { store, clock }: { readonly store: Pick<MirrorStore, 'revokeAll'>; readonly clock: Clock },
  keyId: string,
): Promise<number> {
  let total = 0
  // Again, until a round finds none: a key of this round may have mirrored one more while the round ran.
  for (;;) {
    const revoked = await store.revokeAll(keyId, clock.now())
    if (revoked === 0) return total
    total += revoked
  }
}
