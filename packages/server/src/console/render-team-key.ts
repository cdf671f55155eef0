import { creditsJson, nanocreditsOf } from '@svc/contract'
import type { KeySummary } from '../access/keys/list-keys.ts'
import { secondsOf } from './operator-of.ts'

/** A key as the console shows it: everything but the secret. */
export function renderTeamKey(key: KeySummary) {
  const { limit, period, spent, resetsAt } = key.budget
  return {
    id: key.keyId,
    name: key.name,
    display: key.display,
    status: key.status,
    models: key.models,
    budget_credits: limit === null ? null : creditsJson(limit),
    budget_period: period,
    budget_used: creditsJson(nanocreditsOf(spent)),
    budget_resets_at: secondsOf(resetsAt),
    requests_per_minute: key.requestsPerMinute.own,
    requests_per_minute_in_force: key.requestsPerMinute.inForce,
    created_at: secondsOf(key.createdAt),
    expires_at: secondsOf(key.expiresAt),
    revoked_at: secondsOf(key.revokedAt),
    last_used_at: secondsOf(key.lastUsedAt),
    kind: key.kind,
    is_playground: key.kind === 'playground',
    seen_by: key.readers.map(({ userId, name, seenAt }) => ({ id: userId, name: name ?? '', at: secondsOf(seenAt) })),
    rotate_by: secondsOf(key.rotateBy),
    mirrored_by: key.mirroredBy,
    made_by: key.madeBy === null ? null : { id: key.madeBy.userId, name: key.madeBy.name ?? '' },
  }
}
