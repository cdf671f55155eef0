/** How often and how much at once a key may ask, by whose word. Source: decision 0064 (limits of keys and teams). */

/** An account may use so many of its keys at full rate. Source: decision 0015 (rate limits). */
const KEYS_AT_FULL_RATE = 10

/** For whom a limit was set: this key, its team, or every key of the gateway. */
export type LimitHolder = 'key' | 'team' | 'gateway'

export interface RequestLimit {
  readonly most: number
  readonly setFor: LimitHolder
}

/** What the configuration sets for every key. */
export interface GatewayLimits {
  readonly requestsPerMinute: number
  readonly streamsAtOnce: number
}

/** What an operator has set for one account; null leaves what would hold otherwise. */
export interface SetLimits {
  /** Of each of its keys. */
  readonly requestsPerMinute: number | null
  /** Of all its keys together. */
  readonly accountRequestsPerMinute: number | null
  /** Of each of its keys. */
  readonly streamsAtOnce: number | null
}

/** What holds for the keys of one account. */
export type AccountLimits = Readonly<Record<keyof SetLimits, RequestLimit>>

/** What holds for one key. */
export interface CallerLimits extends AccountLimits {
  /**
   * The name under which its requests are counted. With a limit of its own that is its budget's, which a successor and
   * what was mirrored through it share: neither allows anything twice.
   */
  readonly countedAs: string
}

export const NO_LIMITS_SET: SetLimits = {
  requestsPerMinute: null,
  accountRequestsPerMinute: null,
  streamsAtOnce: null,
}

/** What holds for an account: what was set for it, or what the gateway sets for all. */
export function limitsOfAccount(set: SetLimits, gateway: GatewayLimits): AccountLimits {
  const requestsPerMinute = limitOf(set.requestsPerMinute, gateway.requestsPerMinute)
  const { most, setFor } = requestsPerMinute
  return {
    requestsPerMinute,
    accountRequestsPerMinute:
      set.accountRequestsPerMinute === null
        ? { most: most * KEYS_AT_FULL_RATE, setFor }
        : { most: set.accountRequestsPerMinute, setFor: 'team' },
    streamsAtOnce: limitOf(set.streamsAtOnce, gateway.streamsAtOnce),
  }
}

/** What holds for a key: its own limit, unless its team's is lower. @param own null for the team's. */
export function limitOfKey(own: number | null, team: RequestLimit): RequestLimit {
  return own === null || own > team.most ? team : { most: own, setFor: 'key' }
}

function limitOf(own: number | null, gateway: number): RequestLimit {
  return own === null ? { most: gateway, setFor: 'gateway' } : { most: own, setFor: 'team' }
}
