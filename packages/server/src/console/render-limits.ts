import type { TeamLimits } from '@svc/contract'
import type { ReadLimits } from '../access/keys/account-limits.ts'
import {
  type AccountLimits,
  type GatewayLimits,
  limitsOfAccount,
  NO_LIMITS_SET,
  type RequestLimit,
  type SetLimits,
} from '../access/keys/request-limits.ts'

interface LimitChange {
  readonly requests_per_minute?: number | null | undefined
  readonly account_requests_per_minute?: number | null | undefined
  readonly streams_at_once?: number | null | undefined
}

/** What an operator wants different, in the gateway's own names. */
export function limitChangesOf({
  requests_per_minute: requestsPerMinute,
  account_requests_per_minute: accountRequestsPerMinute,
  streams_at_once: streamsAtOnce,
}: LimitChange): Partial<SetLimits> {
  return {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(accountRequestsPerMinute === undefined ? {} : { accountRequestsPerMinute }),
    ...(streamsAtOnce === undefined ? {} : { streamsAtOnce }),
  }
}

/** What holds for the keys of a team. */
export function renderLimits(limits: AccountLimits): TeamLimits {
  return {
    requests_per_minute: renderLimit(limits.requestsPerMinute),
    account_requests_per_minute: renderLimit(limits.accountRequestsPerMinute),
    streams_at_once: renderLimit(limits.streamsAtOnce),
  }
}

/** What is set for an account, what holds, and what would hold otherwise. */
export function renderOperatorLimits({ set, inForce }: ReadLimits, gateway: GatewayLimits) {
  return {
    set: {
      requests_per_minute: set.requestsPerMinute,
      account_requests_per_minute: set.accountRequestsPerMinute,
      streams_at_once: set.streamsAtOnce,
    },
    in_force: renderLimits(inForce),
    defaults: renderLimits(limitsOfAccount(NO_LIMITS_SET, gateway)),
  }
}

function renderLimit({ most, setFor }: RequestLimit): TeamLimits['streams_at_once'] {
  return { most, set_for: setFor === 'gateway' ? 'gateway' : 'team' }
}
