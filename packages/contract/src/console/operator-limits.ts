import { z } from 'zod'
import { operatorReason } from './operator-settings.ts'

export const limitUnits = ['count', 'bytes', 'milliseconds', 'hours'] as const

/** What a limit counts. */
export type LimitUnit = (typeof limitUnits)[number]

const limitName = z.string().min(1).max(64).describe('As the configuration file has it, such as requests_per_minute.')

/** A limit of the whole gateway. */
export const gatewayLimit = z.object({
  name: limitName,
  description: z.string(),
  unit: z.enum(limitUnits),
  value: z.int().describe('What holds.'),
  default: z.int(),
  least: z.int(),
  most: z.int(),
  set_in: z.enum(['file', 'console', 'default']).describe('The file goes first.'),
  at: z.int().nullable().describe('Seconds since the epoch; null where the console has set nothing.'),
  by: z.string().nullable(),
  restart: z.string().nullable().describe('Why it is read at a start alone; null for what the console can set.'),
})

export type GatewayLimit = z.output<typeof gatewayLimit>

export const gatewayLimitsReply = z.object({
  data: z.array(gatewayLimit),
  problems: z.array(z.string()).describe('What was set and holds no more.'),
})

export type GatewayLimitsReply = z.output<typeof gatewayLimitsReply>

/** One change; null goes back to the default. */
export const gatewayLimitChange = z.strictObject({ name: limitName, value: z.int().nullable() })

export type GatewayLimitChange = z.output<typeof gatewayLimitChange>

/** What a change would do. */
export const gatewayLimitPreview = z.object({
  data: z
    .array(z.object({ what: z.string(), unit: z.enum(limitUnits), before: z.int(), after: z.int() }))
    .describe('All that follows from the limit; empty where nothing changes.'),
  accounts_unchanged: z.int().describe('Accounts that have a limit of their own in its place, and keep it.'),
  warnings: z.array(z.string()),
})

export type GatewayLimitPreview = z.output<typeof gatewayLimitPreview>

export const gatewayLimitPreviewRequest = z.strictObject({ change: gatewayLimitChange })
export const gatewayLimitChangeRequest = z.strictObject({ change: gatewayLimitChange, reason: operatorReason })
