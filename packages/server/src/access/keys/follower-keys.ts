/**
 * Keys that are made with a key: each follows the one that made it, as a mirrored key does. So a key can give away what it
 * may do itself, and no more; and what it has given ends with it. Source: decision 0165 (keys made with a key).
 */
import { ServiceError } from '../../platform/errors/service-error.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { Caller, Right } from './caller.ts'
import { requireModels } from './create-key.ts'
import { MIRROR_DEPTH_MAX } from './key-origins.ts'
import { parseKeyName } from './key-name.ts'
import type { KeyStore } from './key-store.ts'
import { KEY_PAGE_MAX, type KeySummary, listKeys, type ListKeysDeps, summaryOf } from './list-keys.ts'
import type { MirrorStore } from './mirror-store.ts'
import type { Peppers } from './pepper.ts'
import { createRawKey, displayOfKey, hashKey } from './raw-key.ts'
import { revokeKey } from './revoke-key.ts'

export interface FollowerKeysDeps extends ListKeysDeps {
  readonly store: Pick<KeyStore, 'find' | 'list' | 'listSpent' | 'revoke'>
  readonly followers: Pick<MirrorStore, 'insert' | 'follows'>
  readonly peppers: Peppers
}

export interface FollowerRequest {
  readonly name: string
  /** Milliseconds since the epoch; null for the end of the key that it follows. */
  readonly expiresAt: number | null
  /** Null for those of the key that it follows. */
  readonly models: readonly string[] | null
  readonly rights: readonly Right[]
}

/** The caller's key and those that follow it, newest first, ended ones included. */
export function listFollowers(deps: FollowerKeysDeps, caller: Caller): Promise<readonly KeySummary[]> {
  return listKeys(deps, { accountId: caller.accountId, following: caller.keyId, limit: KEY_PAGE_MAX })
}

/**
 * Makes a key that follows the caller's.
 *
 * @throws {ServiceError} `invalid_value` when name, expiry, models or rights make no sense; `key_scope_denied` where the
 *   caller's key may make none (any more), or follows too many others.
 */
export async function createFollower(
  deps: FollowerKeysDeps,
  caller: Caller,
  { name, expiresAt, models, rights }: FollowerRequest,
): Promise<{ readonly summary: KeySummary; readonly rawKey: string }> {
  if (caller.originIds.length >= MIRROR_DEPTH_MAX) {
    throw denied('This key follows too many others to make one.')
  }
  const now = deps.clock.now()
  if (expiresAt !== null && expiresAt <= now) {
    throw new ServiceError('invalid_value', 'A key’s expiry must lie in the future.', { param: 'expires_at' })
  }
  if (models !== null) requireModels(models)
  const beyond = rights.find((right) => !caller.rights.has(right))
  if (beyond !== undefined) {
    throw new ServiceError('invalid_value', `The key in use does not have the right '${beyond}'.`, { param: 'rights' })
  }
  const rawKey = createRawKey()
  const [pepper] = deps.peppers
  const keyId = createId(now)
  const isMade = await deps.followers.insert({
    ...{ keyId, mirroredBy: caller.keyId, name: parseKeyName(name), createdAt: now },
    ...{ keyHash: hashKey(rawKey, pepper.secret), pepperVersion: pepper.version, display: displayOfKey(rawKey) },
    own: {
      rights: [...new Set(rights)].join(' '),
      models: models === null ? null : JSON.stringify(models),
      expiresAt,
    },
  })
  const record = isMade ? await deps.store.find(keyId) : null
  if (record === null) throw denied('The key in use may make no key any more.')
  return { summary: await summaryOf(deps, record), rawKey }
}

/**
 * Revokes a key that follows the caller's, with what follows that; or the caller's own.
 *
 * @throws {ServiceError} `key_not_found` for any other; `key_scope_denied` without the right `keys`.
 */
export async function revokeFollower(deps: FollowerKeysDeps, caller: Caller, keyId: string): Promise<void> {
  if (keyId !== caller.keyId) {
    if (!(await deps.followers.follows(keyId, caller.keyId))) {
      throw new ServiceError('key_not_found', 'No such key follows the key in use.', { param: 'key_id' })
    }
    if (!caller.rights.has('keys')) throw denied("This key does not have the right 'keys'.")
  }
  await revokeKey(deps, keyId)
}

function denied(message: string): ServiceError {
  return new ServiceError('key_scope_denied', message)
}
