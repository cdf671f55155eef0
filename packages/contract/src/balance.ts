import { z } from 'zod'
import { creditsNumber, usdNumber } from './money-schema.ts'

export const budgetPeriods = ['none', 'daily', 'weekly', 'monthly'] as const

/** The key in use and its budget, as `GET /v1/balance` shows them. */
const balanceKey = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe('The first characters and the last four, to recognise the key by.'),
  budget_credits: creditsNumber.nullable().describe('Null when the key has no cap.'),
  budget_remaining: creditsNumber
    .nullable()
    .describe('What the cap leaves, holds counted as spent; null without a cap.'),
  budget_used: creditsNumber.describe('Spent in the present period, without open holds.'),
  budget_reset: z
    .enum(budgetPeriods)
    .nullable()
    .describe('daily, weekly or monthly; null when the budget never resets.'),
  budget_resets_at: z.int().nullable().describe('Seconds since the epoch; null when the budget never resets.'),
  expires_at: z.int().nullable().describe('Seconds since the epoch; null when the key does not expire.'),
})

/** The credits that the key in use can spend. */
export const balanceReply = z
  .object({
    object: z.literal('balance'),
    credits: creditsNumber.describe("The account's balance, holds included."),
    credits_reserved: creditsNumber.describe('Held for requests in flight.'),
    credits_available: creditsNumber.describe(
      'What the next request can spend at most: the least of account, team cap and key budget, less holds. A ' +
        'suspended account keeps it, and its requests are refused with 403.',
    ),
    usd: usdNumber.describe('`credits` in US dollars.'),
    credits_per_usd: z.int(),
    total_credits_purchased: creditsNumber.describe('Granted and deposited so far, less corrections.'),
    total_credits_used: creditsNumber.describe('Charged so far, over all keys of the account.'),
    key: balanceKey,
    team_id: z.string().nullable(),
  })
  .meta({ id: 'Balance' })

export type BalanceReply = z.output<typeof balanceReply>
