import { z } from 'zod'
import { creditsNumber, usdNumber } from '../money-schema.ts'
import { usageList, usagePending, usageQuery, usageRecord } from '../usage.ts'
import { teamPath } from './team-keys.ts'

/** What a team can spend. */
export const teamBalance = z.object({
  credits: creditsNumber.describe('The balance, holds included.'),
  credits_reserved: creditsNumber.describe('Held for requests in flight.'),
  credits_available: creditsNumber.describe('What the next request can spend: the least of balance and team cap.'),
  usd: usdNumber.describe('`credits` in US dollars.'),
})

const keyOfUsage = z.object({ key_id: z.string(), key_name: z.string() })

export const teamUsageRecord = usageRecord.extend(keyOfUsage.shape)
export const teamUsagePending = usagePending.extend(keyOfUsage.shape)

export type TeamUsageRecord = z.output<typeof teamUsageRecord>

export const teamUsageQuery = usageQuery.extend({
  key: z.string().min(1).max(64).optional().describe('Id of a key, or `playground` for all of the playground.'),
})

export type TeamUsageQuery = z.output<typeof teamUsageQuery>

export const teamUsageList = usageList.extend({ data: z.array(teamUsageRecord) })

export const teamUsageReply = z.discriminatedUnion('state', [teamUsagePending, teamUsageRecord])

export const teamUsagePath = teamPath.extend({ request_id: z.string().min(1).max(64) })

/** Days that one answer spans at most. */
export const USAGE_DAYS_MAX = 366

export const teamUsageDaysQuery = z.object({
  days: z.coerce
    .number<string | number>()
    .int()
    .min(1)
    .max(USAGE_DAYS_MAX)
    .default(30)
    .describe('Up to today, in UTC.'),
  model: teamUsageQuery.shape.model,
  type: teamUsageQuery.shape.type,
  key: teamUsageQuery.shape.key,
})

export type TeamUsageDaysQuery = z.output<typeof teamUsageDaysQuery>

/** Totals of each day and model that has any, oldest first. */
export const teamUsageDays = z.object({
  first_day: z.string().describe('Such as 2026-01-31, UTC.'),
  last_day: z.string(),
  data: z.array(z.object({ day: z.string(), model: z.string(), requests: z.int(), credits_charged: creditsNumber })),
})
