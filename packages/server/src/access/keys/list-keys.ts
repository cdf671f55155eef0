import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { KeyKind } from '../../platform/db/key-schema.ts'
import { periodEnd, type BudgetPeriod } from '../../platform/runtime/budget-period.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Right } from './caller.ts'
import { parseModels, parseRights } from './key-permissions.ts'
import { isUsable } from './key-origins.ts'
import type { KeyFilter, KeyReader, KeyRecord, KeyStore } from './key-store.ts'
import { type GatewayLimits, limitOfKey, limitsOfAccount, NO_LIMITS_SET } from './request-limits.ts'

/** Keys on one page at most. */
export const KEY_PAGE_MAX = 200

/** A key as its owner sees it: everything but the secret. */
export interface KeySummary {
  readonly keyId: string
  readonly name: string
  readonly display: string
  readonly accountId: string
  readonly teamId: string
  readonly status: 'active' | 'revoked' | 'expired'
  readonly rights: readonly Right[]
  readonly models: readonly string[] | null
  readonly budget: KeyBudgetSummary
  readonly requestsPerMinute: KeyLimitSummary
  readonly createdAt: number
  readonly expiresAt: number | null
  /** When it ends unless it is rotated before; null where rotation is not required. */
  readonly rotateBy: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
  readonly kind: KeyKind
  /** The key that it follows; null for one that was made here. */
  readonly mirroredBy: string | null
  /** Who has seen its secret in the console, oldest first. */
  readonly readers: readonly KeyReader[]
  /** Null for keys that an operator's command made; the name is null for a person who is gone. */
  readonly madeBy: { readonly userId: string; readonly name: string | null } | null
}

export interface KeyLimitSummary {
  /** Null for what each key of its account may. */
  readonly own: number | null
  /** The lower of its own and its account's. */
  readonly inForce: number
}

export interface KeyBudgetSummary {
  /** Null for no cap. */
  readonly limit: Nanocredits | null
  readonly period: BudgetPeriod
  /** In the period that runs now. */
  readonly spent: Nanocredits
  /** When the next period begins; null without a period. */
  readonly resetsAt: number | null
}

export interface ListKeysDeps {
  readonly store: Pick<KeyStore, 'list' | 'listSpent'>
  readonly clock: Clock
  readonly gatewayLimits: GatewayLimits
}

/** Lists keys newest first, revoked ones included, at most `KEY_PAGE_MAX`. */
export async function listKeys(deps: ListKeysDeps, filter: KeyFilter): Promise<readonly KeySummary[]> {
  const now = deps.clock.now()
  const records = await deps.store.list({ ...filter, limit: Math.min(filter.limit, KEY_PAGE_MAX) })
  const budgetIds = new Set(records.map(({ budgetId }) => budgetId))
  const spent = await deps.store.listSpent([...budgetIds], now)
  return records.map((record) =>
    renderKey(record, { now, spent: spent.get(record.budgetId) ?? 0n }, deps.gatewayLimits),
  )
}

/** A key's row as its owner sees it now. */
export async function summaryOf(deps: ListKeysDeps, record: KeyRecord): Promise<KeySummary> {
  const now = deps.clock.now()
  const spent = (await deps.store.listSpent([record.budgetId], now)).get(record.budgetId) ?? 0n
  return renderKey(record, { now, spent }, deps.gatewayLimits)
}

interface KeyUse {
  readonly now: number
  /** In the present period of its budget. */
  readonly spent: bigint
}

function renderKey(record: KeyRecord, { now, spent }: KeyUse, gateway: GatewayLimits): KeySummary {
  const { keyId, name, display, accountId, teamId, createdAt, expiresAt, revokedAt, lastUsedAt } = record
  const { createdBy, createdByName, rotateBy, kind, mirroredBy, readers } = record
  return {
    keyId,
    name,
    display,
    accountId,
    teamId,
    status: statusOf(record, now),
    rights: [...parseRights(record.rights)],
    models: parseModels(record.models),
    budget: {
      limit: record.budgetLimit === null ? null : nanocreditsOf(record.budgetLimit),
      period: record.budgetPeriod,
      spent: nanocreditsOf(spent),
      resetsAt: periodEnd(record.budgetPeriod, now),
    },
    requestsPerMinute: limitSummary(record, gateway),
    createdAt,
    expiresAt,
    rotateBy,
    revokedAt,
    lastUsedAt,
    kind,
    mirroredBy,
    readers,
    madeBy: createdBy === null ? null : { userId: createdBy, name: createdByName },
  }
}

function limitSummary(record: KeyRecord, gateway: GatewayLimits): KeyLimitSummary {
  const { requestsPerMinute: own, teamRequestsPerMinute } = record
  const team = limitsOfAccount({ ...NO_LIMITS_SET, requestsPerMinute: teamRequestsPerMinute }, gateway)
  return { own, inForce: limitOfKey(own, team.requestsPerMinute).most }
}

function statusOf(record: KeyRecord, now: number): KeySummary['status'] {
  if (record.revokedAt !== null) return 'revoked'
  return isUsable(record, now) ? 'active' : 'expired'
}

export type { KeyFilter, KeyReader, KeyStore } from './key-store.ts'
