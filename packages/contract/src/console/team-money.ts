import { z } from 'zod'
import { creditsNumber, usdNumber } from '../money-schema.ts'
import { RECORD_ID } from '../record-id.ts'
import { usageList, usagePending, usageQuery, usageRecord } from '../usage.ts'
import { wholeNumber } from '../whole-number.ts'
import { teamPath } from './team-keys.ts'

/** What a team can spend. */
export const teamBalance = z.object({
  credits: creditsNumber.describe('The balance, holds included.'),
  credits_reserved: creditsNumber.describe('Held for requests in flight.'),
  credits_available: creditsNumber.describe('What the next request can spend: the least of balance and team cap.'),
  limited_by: z.enum(['balance', 'team']).describe('Which of them that is.'),
  usd: usdNumber.describe('`credits` in US dollars.'),
})

export type TeamBalance = z.output<typeof teamBalance>

const keyOfUsage = z.object({ key_id: z.string(), key_name: z.string() })

export const teamUsageRecord = usageRecord.extend(keyOfUsage.shape)
export const teamUsagePending = usagePending.extend(keyOfUsage.shape)

export type TeamUsageRecord = z.output<typeof teamUsageRecord>

const keyFilter = z
  .string()
  .regex(new RegExp(`^(playground|${RECORD_ID})$`), 'expected the id of a key, or playground.')
  .transform((text) => text.toLowerCase())

export const teamUsageQuery = usageQuery.extend({
  key: keyFilter.optional().describe('Id of a key, or `playground` for all of the playground.'),
})

export type TeamUsageQuery = z.output<typeof teamUsageQuery>

export const teamUsageList = usageList.extend({ data: z.array(teamUsageRecord) })

export const teamUsageReply = z.discriminatedUnion('state', [teamUsagePending, teamUsageRecord])

export const teamUsagePath = teamPath.extend({ request_id: z.string().min(1).max(64) })

/** How the money of one request moved: what was held, and the entries of its transfer. */
export const teamUsageEntries = z.object({
  request_id: z.string(),
  hold: z.object({
    state: z.enum(['held', 'captured', 'released', 'expired']),
    placed_at_ms: z.int().describe('Milliseconds since the epoch.'),
    ended_at_ms: z.int().nullable().describe('Null while it is open.'),
    credits_placed: creditsNumber.describe('Held when the request began.'),
    credits_reserved: creditsNumber.describe('The most that was held; a hold only grows.'),
    output_limit: z
      .object({
        units: z.int().describe('Output tokens that balance, team cap and key budget could pay for.'),
        is_exact: z
          .boolean()
          .describe('False where the prompt was counted again, which left more: then at least so many.'),
      })
      .nullable()
      .describe(
        'Set where the client named no limit and the gateway did. Null where all that the model can make fitted.',
      ),
    extensions: z
      .array(z.object({ at_ms: z.int(), credits_added: creditsNumber, credits_reserved: creditsNumber }))
      .describe('Each extension, in order. Where the balance is the limit, a hold begins small.'),
  }),
  transfer: z
    .object({
      id: z.string(),
      kind: z.enum(['capture', 'write_off']),
      created_at_ms: z.int(),
      entries: z
        .array(z.object({ account: z.string(), credits: creditsNumber }))
        .describe('Signed; they sum to zero. Accounts of the gateway begin with `system:`.'),
    })
    .nullable()
    .describe('Null for requests that moved nothing.'),
})

export type TeamUsageEntries = z.output<typeof teamUsageEntries>

/** What a file of requests is narrowed to: all that the filters select are in it. */
export const teamUsageFileQuery = teamUsageQuery.omit({ limit: true, after: true })

export type TeamUsageFileQuery = z.output<typeof teamUsageFileQuery>

/** Days that one answer spans at most. */
export const USAGE_DAYS_MAX = 366

/** The same in a time zone other than UTC, whose days no roll-up knows. */
export const LOCAL_DAYS_MAX = 92

const day = z.iso.date('expected a day, such as 2026-01-31.')

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export const usageGroupings = ['model', 'key', 'type', 'person'] as const

export type UsageGrouping = (typeof usageGroupings)[number]

export const teamUsageDaysQuery = z.object({
  days: wholeNumber({ min: 1, max: USAGE_DAYS_MAX }).prefault(30).describe('Up to today. `from` goes before it.'),
  from: day.optional().describe('The first day, such as 2026-01-31.'),
  to: day.optional().describe('The last day; today where it is absent.'),
  time_zone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'expected the name of a time zone, such as Europe/Berlin.')
    .optional()
    .describe(`Whose days they are; UTC where it is absent. ${LOCAL_DAYS_MAX} days at most in another zone.`),
  by: z.enum(usageGroupings).default('model').describe('What the totals of a day are divided by.'),
  model: teamUsageQuery.shape.model,
  type: teamUsageQuery.shape.type,
  key: teamUsageQuery.shape.key,
})

export type TeamUsageDaysQuery = z.output<typeof teamUsageDaysQuery>

/** Totals of each day and group that has any, oldest first. */
export const teamUsageDays = z.object({
  first_day: z.string().describe('Such as 2026-01-31.'),
  last_day: z.string(),
  data: z.array(
    z.object({
      day: z.string(),
      group: z.string().describe('A model, the id of a key or of a person, or a type.'),
      name: z.string().describe('What people call it.'),
      requests: z.int(),
      tokens: z.int().describe('Of prompts and answers.'),
      credits_charged: creditsNumber,
    }),
  ),
})

export type TeamUsageDays = z.output<typeof teamUsageDays>
