import type { Nanocredits } from '@svc/contract'
import type { KeyKind } from '../../platform/db/key-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import { type LimitDeps, requireKeyLimit } from './account-limits.ts'
import type { ActingMember } from './acting-member.ts'
import type { Right } from './caller.ts'
import { parseKeyName } from './key-name.ts'
import { DEFAULT_RIGHTS } from './key-permissions.ts'
import type { KeyStore } from './key-store.ts'
import type { Peppers } from './pepper.ts'
import { createRawKey, displayOfKey, hashKey } from './raw-key.ts'

/** Models in an allow-list at most, and characters of each. */
const MODELS_MAX = 500
const MODEL_ID_LENGTH_MAX = 200

export interface CreateKeyDeps extends LimitDeps {
  readonly store: Pick<KeyStore, 'insert'>
  readonly peppers: Peppers
  readonly clock: Clock
}

export interface KeyRequest {
  readonly accountId: string
  readonly teamId: string
  /** What people call the key: 1 to 64 characters after trimming. */
  readonly name: string
  /** What the key may spend at most, in each period or in all; absent or null for no cap. */
  readonly budget?: { readonly limit: Nanocredits; readonly period: BudgetPeriod } | null
  /** Milliseconds since the epoch; absent or null for never. */
  readonly expiresAt?: number | null
  /** Ids of the models that the key may use; absent or null for all. */
  readonly models?: readonly string[] | null
  /** What the key may ask at most; absent or null for what each key of its account may. */
  readonly requestsPerMinute?: number | null
  /** `DEFAULT_RIGHTS` when absent. */
  readonly rights?: readonly Right[]
  /** A service key, the team's, when absent. One of the others ends with the right of the person who makes it. */
  readonly kind?: KeyKind
  /** The person who makes it in the console and sees its secret; absent for an operator's command. */
  readonly createdBy?: string
  /** A secret that can be derived again; absent for a random one. */
  readonly rawKey?: string
  /** The signed-in browser that it ends with: for keys of the playground alone. */
  readonly sessionId?: string
  /** For a key whose id is known beforehand; made otherwise. */
  readonly keyId?: string
  /** The member who makes it, by a role that they must still have when it is written. */
  readonly by?: ActingMember
}

export interface CreatedKey {
  readonly keyId: string
  /** The secret itself. It cannot be read again later. */
  readonly rawKey: string
  readonly display: string
}

/**
 * Makes a key and its budget row. Every key has a budget row, capped or not, since it counts the key's spending.
 *
 * @throws {ServiceError} `invalid_value` when the name, the budget, the expiry, the models or the rights make no
 * sense, or the key shall ask more often than its account allows; `role_denied` where the person whose it shall be may
 * have none in the team any more.
 */
export async function createKey(deps: CreateKeyDeps, request: KeyRequest): Promise<CreatedKey> {
  const now = deps.clock.now()
  const name = parseKeyName(request.name)
  const { budget = null, expiresAt = null, models = null, rights = DEFAULT_RIGHTS, requestsPerMinute = null } = request
  if (budget !== null && budget.limit <= 0n) throw invalid('budget', 'A key’s budget must be more than 0 credits.')
  if (expiresAt !== null && expiresAt <= now) throw invalid('expires_at', 'A key’s expiry must lie in the future.')
  if (rights.length === 0) throw invalid('rights', 'A key needs at least one right.')
  if (models !== null) requireModels(models)
  await requireKeyLimit(deps, request.accountId, requestsPerMinute)

  const rawKey = request.rawKey ?? createRawKey()
  const [pepper] = deps.peppers
  const period = budget?.period ?? 'none'
  const key = {
    keyId: request.keyId ?? createId(now),
    accountId: request.accountId,
    teamId: request.teamId,
    budgetId: createId(now),
    name,
    keyHash: hashKey(rawKey, pepper.secret),
    pepperVersion: pepper.version,
    display: displayOfKey(rawKey),
    rights: [...new Set(rights)].join(' '),
    models: models === null ? null : JSON.stringify(models),
    requestsPerMinute,
    budgetLimit: budget?.limit ?? null,
    budgetPeriod: period,
    expiresAt,
    createdAt: now,
    kind: request.kind ?? ('service' as const),
    createdBy: request.createdBy ?? null,
    reader: request.createdBy ?? null,
    mirroredBy: null,
    sessionId: request.sessionId ?? null,
    sharesBudget: false,
    by: request.by,
  }
  if (!(await deps.store.insert(key))) throw new ServiceError('role_denied', 'Your role allows no keys in this team.')
  return { keyId: key.keyId, rawKey, display: key.display }
}

/** @throws {ServiceError} `invalid_value` for a list that names nothing, or too much. */
export function requireModels(models: readonly string[]): void {
  if (models.length === 0) throw invalid('models', 'A key’s model list must name a model; leave it out to allow all.')
  if (models.length > MODELS_MAX) throw invalid('models', `A key’s model list has at most ${MODELS_MAX} entries.`)
  if (models.some((model) => model === '' || model.length > MODEL_ID_LENGTH_MAX)) {
    throw invalid('models', `A model id has 1 to ${MODEL_ID_LENGTH_MAX} characters.`)
  }
}

function invalid(param: string, message: string): ServiceError {
  return new ServiceError('invalid_value', message, { param })
}
