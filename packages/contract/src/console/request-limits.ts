import { z } from 'zod'
import { operatorReason } from './operator-settings.ts'

/** The most that a limit can be set to. Source: as in the configuration; an account has ten keys at full rate. */
export const REQUESTS_PER_MINUTE_MAX = 10_000_000
export const ACCOUNT_REQUESTS_PER_MINUTE_MAX = 100_000_000
export const STREAMS_AT_ONCE_MAX = 100_000

export const requestsPerMinute = z.int().min(1).max(REQUESTS_PER_MINUTE_MAX)

const limit = z.object({
  most: z.int(),
  set_for: z.enum(['team', 'gateway']).describe('`gateway`: what every key has unless an operator says otherwise.'),
})

/** What holds for the keys of a team. */
export const teamLimits = z.object({
  requests_per_minute: limit.describe('Of each key; a key may have a lower one of its own.'),
  account_requests_per_minute: limit.describe('Of all keys together.'),
  streams_at_once: limit.describe('Of each key.'),
})

export type TeamLimits = z.output<typeof teamLimits>

/** What an operator has set for an account; null leaves what holds for every account. */
export const setLimits = z.object({
  requests_per_minute: requestsPerMinute.nullable().describe('Of each of its keys.'),
  account_requests_per_minute: z
    .int()
    .min(1)
    .max(ACCOUNT_REQUESTS_PER_MINUTE_MAX)
    .nullable()
    .describe('Of all its keys together; null for ten times that of a key.'),
  streams_at_once: z.int().min(1).max(STREAMS_AT_ONCE_MAX).nullable().describe('Of each of its keys.'),
})

/** What is set for an account, what comes of it, and what would hold without. */
export const operatorAccountLimits = z.object({
  set: setLimits,
  in_force: teamLimits,
  defaults: teamLimits,
})

/** What shall be different; what is absent stays, null takes a limit away. */
export const accountLimitsChange = setLimits.partial().extend({ reason: operatorReason })
