import { z } from 'zod'
import { wholeNumber } from '../whole-number.ts'
import { teamUsageQuery } from './team-money.ts'

const milliseconds = z.int().nullable()

/** Days of the measured speeds at most. */
export const SPEED_DAYS_MAX = 30

export const modelSpeedsQuery = z.object({
  days: wholeNumber({ min: 1, max: SPEED_DAYS_MAX }).prefault(7).describe('Up to today, in UTC.'),
})

export type ModelSpeedsQuery = z.output<typeof modelSpeedsQuery>

/** What this gateway measured of its models, over the requests of all its customers. */
export const modelSpeeds = z.object({
  first_day: z.string().describe('Such as 2026-01-31, UTC.'),
  last_day: z.string(),
  data: z
    .array(
      z.object({
        model: z.string().describe('As it was asked for: an id or an alias.'),
        first_content_ms: milliseconds.describe('Median time to the first content of a stream; null without streams.'),
        duration_ms: milliseconds.describe('Median time of a whole answer.'),
        tokens_per_second: z.number().nullable().describe('Median of output tokens a second, after the first content.'),
        success_rate: z.number().describe('Share of requests that the gateway and its upstreams did not fail.'),
        days: z
          .array(z.number().nullable())
          .describe('The success rate of each day, oldest first; null for a day without requests.'),
      }),
    )
    .describe('Models with enough requests to say something of all of them and nothing of one.'),
})

export type ModelSpeeds = z.output<typeof modelSpeeds>

/** Slots of one answer at most. */
export const TIMING_SLOTS_MAX = 400

export const timingGroupings = ['all', 'model', 'key'] as const
export type TimingGrouping = (typeof timingGroupings)[number]

const instant = wholeNumber({ min: 0, max: 253_402_300_799 })

export const teamTimingsQuery = z.object({
  from: instant.describe('Seconds since the epoch: the first slot begins with this hour.'),
  to: instant.describe('Seconds since the epoch; not in.'),
  step: z.enum(['hour', 'day']).default('day').describe('How long a slot is. A day has 24 hours.'),
  by: z.enum(timingGroupings).default('all').describe('What the requests of a slot are divided by.'),
  model: teamUsageQuery.shape.model,
  key: teamUsageQuery.shape.key,
})

export type TeamTimingsQuery = z.output<typeof teamTimingsQuery>

const spread = z
  .object({ median: z.number(), slow: z.number().describe('19 of 20 requests are not slower.') })
  .nullable()
  .describe('Null where nothing was measured.')

/** How long the requests of a team took, and how many failed; slots and groups without requests are left out. */
export const teamTimings = z.object({
  data: z.array(
    z.object({
      start: z.int().describe('Seconds since the epoch.'),
      group: z.string().describe('A model, the id of a key, or `all`.'),
      name: z.string().describe('What people call it.'),
      requests: z.int().describe('Without those that their caller left.'),
      failed: z.int().describe('By the gateway or its upstreams.'),
      refused: z.int().describe('For what was asked.'),
      first_content_ms: spread,
      duration_ms: spread,
      tokens_per_second: z.number().nullable(),
    }),
  ),
})

export type TeamTimings = z.output<typeof teamTimings>
