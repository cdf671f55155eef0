import { ServiceError } from '../errors/service-error.ts'
import type { Clock } from '../runtime/clock.ts'
import { createId } from '../runtime/ids.ts'
import type { CreatedKey } from './create-key.ts'
import type { KeyStore } from './key-store.ts'
import type { Peppers } from './pepper.ts'
import { createRawKey, displayOfKey, hashKey } from './raw-key.ts'

export interface RotateKeyDeps {
  readonly store: Pick<KeyStore, 'find' | 'insert' | 'endBy' | 'revoke'>
  readonly peppers: Peppers
  readonly clock: Clock
}

export interface Rotation {
  readonly keyId: string
  /** How long the old key works beside the new one, in milliseconds; 0 ends it at once. */
  readonly overlapMs: number
  /** The person who asks for it. */
  readonly userId: string
}

/**
 * Makes a successor with the same name, rights, models, limit and expiry, and ends the old key after the overlap. Both
 * spend from one budget, and a limit of their own counts both, so that the overlap allows nothing twice.
 *
 * @throws {ServiceError} `key_not_found` when the key does not exist or has ended.
 */
export async function rotateKey(deps: RotateKeyDeps, rotation: Rotation): Promise<CreatedKey> {
  const now = deps.clock.now()
  const old = await deps.store.find(rotation.keyId)
  if (old === null || old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= now)) {
    throw new ServiceError('key_not_found', 'This key has ended: make a new one.', { param: 'key_id' })
  }
  if (old.sessionId !== null) {
    throw new ServiceError('key_not_found', 'The playground makes its keys itself.', { param: 'key_id' })
  }
  const rawKey = createRawKey()
  const [pepper] = deps.peppers
  const keyId = createId(now)
  await deps.store.insert({
    keyId,
    accountId: old.accountId,
    teamId: old.teamId,
    budgetId: old.budgetId,
    name: old.name,
    keyHash: hashKey(rawKey, pepper.secret),
    pepperVersion: pepper.version,
    display: displayOfKey(rawKey),
    rights: old.rights,
    models: old.models,
    requestsPerMinute: old.requestsPerMinute,
    budgetLimit: old.budgetLimit,
    budgetPeriod: old.budgetPeriod,
    budgetWindowStart: old.budgetWindowStart,
    expiresAt: old.expiresAt,
    createdAt: now,
    createdBy: old.createdBy ?? rotation.userId,
    sessionId: null,
    sharesBudget: true,
  })
  if (rotation.overlapMs === 0) await deps.store.revoke(old.keyId, now)
  else await deps.store.endBy(old.keyId, now + rotation.overlapMs)
  return { keyId, rawKey, display: displayOfKey(rawKey) }
}
