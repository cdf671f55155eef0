import { z } from 'zod'
import { budgetPeriods } from '../balance.ts'
import { CREDITS_MAX, formatCredits, parseCredits } from '../credits.ts'
import { creditsNumber } from '../money-schema.ts'
import { recordId } from '../record-id.ts'
import { requestsPerMinute } from './request-limits.ts'

/** Models in a key's list at most, and characters of an id. */
const MODELS_MAX = 500
const MODEL_ID_LENGTH_MAX = 200
/** Keys on one page. */
export const TEAM_KEY_PAGE_MAX = 100
/** Longest time that a rotated key works beside its successor, in hours. Source: own choice. */
export const OVERLAP_HOURS_MAX = 168

/** The last second of the year 9999: a key that shall live longer has no end. */
const EXPIRY_SECONDS_MAX = 253_402_300_799

/** Whose a key is: a person's, the team's, or a page's of the console. */
export const keyKinds = ['personal', 'service', 'playground'] as const

/** A key as the console shows it: everything but the secret. */
export const teamKey = z.object({
  id: z.string(),
  name: z.string(),
  display: z.string().describe('The first characters and the last four.'),
  status: z.enum(['active', 'revoked', 'expired']),
  models: z.array(z.string()).nullable().describe('Null for all.'),
  budget_credits: creditsNumber.nullable().describe('Null when the key has no cap.'),
  budget_period: z.enum(budgetPeriods),
  budget_used: creditsNumber.describe('In the present period.'),
  budget_resets_at: z.int().nullable().describe('Seconds since the epoch; null when the budget never resets.'),
  requests_per_minute: z.int().nullable().describe('A limit of its own; null for the team’s.'),
  requests_per_minute_in_force: z.int().describe('The lower of its own and the team’s.'),
  created_at: z.int(),
  expires_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
  last_used_at: z.int().nullable().describe('Exact to the hour.'),
  made_by: z
    .object({ id: z.string(), name: z.string().describe('Empty for a person who is gone.') })
    .nullable()
    .describe('Null for keys that an operator’s command made.'),
  kind: z
    .enum(keyKinds)
    .describe(
      '`personal` ends with its maker’s right to have keys in the team; `service` is the team’s; `playground` was made ' +
        'by the console for its playground, and ends with the session, too.',
    ),
  seen_by: z
    .array(z.object({ id: z.string(), name: z.string().describe('Empty for a person who is gone.'), at: z.int() }))
    .describe('Who has seen its secret in the console, oldest first.'),
  rotate_by: z
    .int()
    .nullable()
    .describe('It ends then unless it is rotated before, because a former manager has seen its secret.'),
  mirrored_by: z.string().nullable().describe('The key that it follows; null for one that was made here.'),
  is_own: z.boolean(),
  is_playground: z.boolean(),
})

export type TeamKey = z.output<typeof teamKey>

export const teamPath = z.object({ team_id: z.string().min(1).max(64) })
export const teamKeyPath = teamPath.extend({ key_id: z.string().min(1).max(64) })

export const teamKeysQuery = z.object({
  state: z
    .enum(['active', 'ended', 'playground'])
    .optional()
    .describe('Keys of the playground are listed by its name alone. Absent for all others.'),
  after: recordId('a key').optional(),
})

/** Newest first. */
export const teamKeyList = z.object({ data: z.array(teamKey), has_more: z.boolean() })

/** An amount as a person typed it: exact decimal text. */
export const creditsText = z.string().refine(
  (text) => {
    const amount = parseCredits(text) ?? 0n
    return amount > 0n && amount <= CREDITS_MAX
  },
  `Expected a number of credits above 0, at most ${formatCredits(CREDITS_MAX)}, with at most nine decimals.`,
)

export const newTeamKey = z.object({
  name: z.string().min(1).max(200),
  budget: z
    .object({ credits: creditsText, period: z.enum(budgetPeriods) })
    .nullish()
    .describe('Null for no cap.'),
  expires_at: z.int().positive().max(EXPIRY_SECONDS_MAX).nullish().describe('Seconds since the epoch; null for never.'),
  models: z.array(z.string().min(1).max(MODEL_ID_LENGTH_MAX)).min(1).max(MODELS_MAX).nullish(),
  requests_per_minute: requestsPerMinute.nullish().describe('At most what keys of the team have; null for that.'),
  kind: z
    .enum(['personal', 'service'])
    .default('personal')
    .describe('A service key is for those who handle all keys of the team.'),
})

export type NewTeamKey = z.input<typeof newTeamKey>

/** What shall be different about a key. What is absent stays; null takes cap, end, list or limit away. */
export const keyChange = z.object({
  name: newTeamKey.shape.name.optional(),
  budget: newTeamKey.shape.budget,
  expires_at: newTeamKey.shape.expires_at,
  models: newTeamKey.shape.models,
  requests_per_minute: newTeamKey.shape.requests_per_minute,
})

export type KeyChange = z.output<typeof keyChange>

export const rotation = z.object({
  overlap_hours: z.int().min(0).max(OVERLAP_HOURS_MAX).describe('How long the old key still works.'),
})

/** The one answer that has the secret in it. */
export const madeTeamKey = z.object({ id: z.string(), name: z.string(), display: z.string(), key: z.string() })

export type MadeTeamKey = z.output<typeof madeTeamKey>
