import type { Nanocredits } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { type LimitDeps, requireKeyLimit } from './account-limits.ts'
import { requireModels } from './create-key.ts'
import { parseKeyName } from './key-name.ts'
import { isUsable } from './key-origins.ts'
import type { ActingMember } from './acting-member.ts'
import type { KeyRecord, KeyStore } from './key-store.ts'

export interface ChangeKeyDeps extends LimitDeps {
  readonly store: Pick<KeyStore, 'change'>
  readonly clock: Clock
}

/** What shall be different; absent parts stay, null takes away. */
export interface KeyChanges {
  readonly name?: string
  readonly budget?: { readonly limit: Nanocredits; readonly period: BudgetPeriod } | null
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | null
  readonly models?: readonly string[] | null
  readonly requestsPerMinute?: number | null
  /** The member who changes it, by a role that they must still have when it is written. */
  readonly by?: ActingMember
}

/**
 * Changes a key that has not ended. Its secret and what it has spent stay; a budget that is shared, as after a
 * rotation, changes for all that share it, and so does the limit of requests. Requests that run go on as they were let
 * in.
 *
 * @throws {ServiceError} `invalid_value` for a change that makes no sense, `key_not_found` for a key that has ended,
 *   `role_denied` for who may not change it any more.
 */
export async function changeKey(deps: ChangeKeyDeps, key: KeyRecord, changes: KeyChanges): Promise<void> {
  const now = deps.clock.now()
  if (!isUsable(key, now)) {
    throw new ServiceError('key_not_found', 'This key has ended: make a new one.', { param: 'key_id' })
  }
  const { name, budget, expiresAt, models, requestsPerMinute, by } = changes
  if (budget != null && budget.limit <= 0n) throw invalid('budget', 'A key’s budget must be more than 0 credits.')
  if (expiresAt != null && expiresAt <= now) throw invalid('expires_at', 'A key’s expiry must lie in the future.')
  if (models != null) requireModels(models)
  // One that its team's has fallen below since may stay as it is.
  if (requestsPerMinute !== key.requestsPerMinute) await requireKeyLimit(deps, key.accountId, requestsPerMinute ?? null)
  const isChanged = await deps.store.change(key.keyId, {
    ...{ changedAt: now, by },
    ...(name === undefined ? {} : { name: parseKeyName(name) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(models === undefined ? {} : { models: models === null ? null : JSON.stringify(models) }),
    ...(requestsPerMinute === undefined ? {} : { limit: { budgetId: key.budgetId, requestsPerMinute } }),
    ...(budget === undefined
      ? {}
      : { budget: { budgetId: key.budgetId, limit: budget?.limit ?? null, period: budget?.period ?? 'none' } }),
  })
  if (isChanged || by === undefined) return
  throw new ServiceError('role_denied', 'Nothing was changed: your role may not do it any more, or the key has ended.')
}

function invalid(param: string, message: string): ServiceError {
  return new ServiceError('invalid_value', message, { param })
}
