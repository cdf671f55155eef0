import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import { type ActingMember, roleLost } from './acting-member.ts'
import type { CreatedKey } from './create-key.ts'
import { isUsable } from './key-origins.ts'
import type { KeyRecord, KeyStore } from './key-store.ts'
import type { Peppers } from './pepper.ts'
import { createRawKey, displayOfKey, hashKey } from './raw-key.ts'

export interface RotateKeyDeps {
  readonly store: Pick<KeyStore, 'find' | 'insert'>
  readonly peppers: Peppers
  readonly clock: Clock
}

export interface Rotation {
  readonly keyId: string
  /** How long the old key works beside the new one, in milliseconds; 0 ends it at once. */
  readonly overlapMs: number
  /** The person who asks for it in the console and sees the new secret; null for an operator's command. */
  readonly userId: string | null
  /** The same person, by a role that they must still have when it is written. */
  readonly by?: ActingMember
}

/**
 * Makes a successor with the same name, rights, models, limit and expiry, and in the same step has the old key end after
 * the overlap, or when it has to be rotated at the latest. Both spend from one budget, and a limit of their own counts
 * both, so that the overlap allows nothing twice. Whose key it is stays; who has seen the secret begins anew. The
 * successor of a mirrored key follows the same origin.
 *
 * @throws {ServiceError} `key_not_found` when the key does not exist or has ended; `role_denied` for who may not rotate
 *   it any more.
 */
export async function rotateKey(deps: RotateKeyDeps, rotation: Rotation): Promise<CreatedKey> {
  const now = deps.clock.now()
  const old = await deps.store.find(rotation.keyId)
  if (old === null || !isUsable(old, now)) throw hasEnded()
  if (old.kind === 'playground') {
    throw new ServiceError('key_not_found', 'The playground makes its keys itself.', { param: 'key_id' })
  }
  const rawKey = createRawKey()
  const [pepper] = deps.peppers
  const keyId = createId(now)
  const successor = {
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
    expiresAt: old.expiresAt,
    createdAt: now,
    kind: old.kind,
    createdBy: old.createdBy ?? rotation.userId,
    reader: rotation.userId,
    mirroredBy: old.mirroredBy,
    sessionId: null,
    sharesBudget: true,
    by: rotation.by,
  }
  const endsAt = rotation.overlapMs === 0 ? null : now + rotation.overlapMs
  if (!(await deps.store.insert(successor, { keyId: old.keyId, endsAt }))) throw await refusal(deps, old)
  return { keyId, rawKey, display: displayOfKey(rawKey) }
}

async function refusal({ store }: RotateKeyDeps, old: KeyRecord): Promise<ServiceError> {
  const present = await store.find(old.keyId)
  if (present?.revokedAt !== null) return hasEnded()
  if (old.kind === 'service') return roleLost()
  return new ServiceError('key_not_found', 'The key’s owner may no longer have keys in this team.')
}

function hasEnded(): ServiceError {
  return new ServiceError('key_not_found', 'This key has ended: make a new one.', { param: 'key_id' })
}
