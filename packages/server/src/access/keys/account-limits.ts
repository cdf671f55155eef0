import { ServiceError } from '../../platform/errors/service-error.ts'
import type { AccountLimitStore } from './account-limit-store.ts'
import { type AccountLimits, type GatewayLimits, limitsOfAccount, type SetLimits } from './request-limits.ts'

export interface LimitDeps {
  readonly accountLimitStore: Pick<AccountLimitStore, 'find'>
  readonly gatewayLimits: GatewayLimits
  /** What the one who asked can do for a key that shall have more than its account's keys; absent for a customer. */
  readonly adviceOnMore?: (accountId: string) => string
}

/** The limits of an account: what was set for it, and what holds. */
export interface ReadLimits {
  readonly set: SetLimits
  readonly inForce: AccountLimits
}

/** Reads the limits of an account. One that is not there has the gateway's. */
export async function readAccountLimits(
  { accountLimitStore, gatewayLimits }: LimitDeps,
  accountId: string,
): Promise<ReadLimits> {
  const set = await accountLimitStore.find(accountId)
  return { set, inForce: limitsOfAccount(set, gatewayLimits) }
}

/**
 * Checks a limit that a key shall have: it may be lower than what the account's keys have, never higher.
 *
 * @param perMinute null for the account's.
 * @throws {ServiceError} `invalid_value` with the highest that is allowed.
 */
export async function requireKeyLimit(deps: LimitDeps, accountId: string, perMinute: number | null): Promise<void> {
  if (perMinute === null) return
  const { most } = (await readAccountLimits(deps, accountId)).inForce.requestsPerMinute
  if (Number.isSafeInteger(perMinute) && perMinute >= 1 && perMinute <= most) return
  const advice = deps.adviceOnMore?.(accountId) ?? 'More is for the operator to allow.'
  const message = `A key of this team may have 1 to ${most} requests a minute. ${advice}`
  throw new ServiceError('invalid_value', message, { param: 'requests_per_minute', details: { highest_allowed: most } })
}

export type { AccountLimitStore } from './account-limit-store.ts'
