import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { Caller } from './caller.ts'
import { isUsable, MIRROR_DEPTH_MAX } from './key-origins.ts'
import { parseKeyName } from './key-name.ts'
import type { MirrorStore } from './mirror-store.ts'
import type { Peppers } from './pepper.ts'
import { displayOfKey, hashKey, isWellFormedKey } from './raw-key.ts'

export interface MirrorKeyDeps {
  readonly store: Pick<MirrorStore, 'insert' | 'findByHash'>
  readonly peppers: Peppers
  readonly clock: Clock
}

export interface MirrorRequest {
  /** The key as its owner has it; from a client, unparsed. */
  readonly raw: string
  /** What people call it: 1 to 64 characters after trimming. */
  readonly name: string
}

/**
 * `already_mirrored`: the key works here, and nothing was changed. `invalid_key`: its form is not a key's, or it is one
 * that this caller cannot have mirrored; which of the two is not said, so that a caller cannot try keys here.
 * `not_permitted`: the caller's own key lacks the right, is not valid any more, or is a mirror of too many others.
 */
export type MirrorResult =
  | { readonly mirrored: true; readonly reason?: 'already_mirrored' }
  | { readonly mirrored: false; readonly reason: 'invalid_key' | 'not_permitted' }

/**
 * Makes a key that exists elsewhere valid here. It shares the caller's account, team, budget, expiry, models, limit and
 * rights as they are at each request, ends with the caller's key, and can never do more. Only its hash is stored.
 *
 * @throws {ServiceError} `invalid_value` when the name makes no sense.
 *
 * Source: spec 2.11; decision 0032 (mirrored keys).
 */
export async function mirrorKey(deps: MirrorKeyDeps, caller: Caller, request: MirrorRequest): Promise<MirrorResult> {
  if (!caller.rights.has('keys')) return { mirrored: false, reason: 'not_permitted' }
  if (caller.originIds.length >= MIRROR_DEPTH_MAX) return { mirrored: false, reason: 'not_permitted' }
  const name = parseKeyName(request.name)
  const { raw } = request
  if (!isWellFormedKey(raw)) return { mirrored: false, reason: 'invalid_key' }
  const now = deps.clock.now()
  const [pepper] = deps.peppers
  // Every pepper that is valid now: a key of the older one must not get a second row under the newer.
  const hashes = deps.peppers.map(({ secret }) => hashKey(raw, secret))
  const known = await deps.store.findByHash(hashes)
  const inserted =
    known === null &&
    (await deps.store.insert({
      keyId: createId(now),
      mirroredBy: caller.keyId,
      name,
      keyHash: hashKey(raw, pepper.secret),
      pepperVersion: pepper.version,
      display: displayOfKey(raw),
      createdAt: now,
    }))
  if (inserted) return { mirrored: true }
  // Another request may have been faster, here or on another gateway; or the caller's own key was revoked meanwhile.
  const present = known ?? (await deps.store.findByHash(hashes))
  if (present === null) return { mirrored: false, reason: 'not_permitted' }
  const isValid = present.accountId === caller.accountId && isUsable(present, now)
  return isValid ? { mirrored: true, reason: 'already_mirrored' } : { mirrored: false, reason: 'invalid_key' }
}
