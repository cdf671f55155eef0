import { z } from 'zod'
import { budgetPeriods } from '../balance.ts'
import { parseCredits } from '../credits.ts'
import { usageStatuses } from '../kinds.ts'
import { creditsNumber } from '../money-schema.ts'
import { recordId } from '../record-id.ts'
import { operatorReason } from './operator-settings.ts'
import { operatorAccountLimits } from './request-limits.ts'
import { teamRoles } from './session.ts'
import { teamKey } from './team-keys.ts'

/** Rows of each list of the operator's pages. */
export const OPERATOR_PAGE_ROWS = 50

export const accountStates = ['active', 'suspended', 'closed'] as const
export type AccountState = (typeof accountStates)[number]

export const operatorAccountsQuery = z.object({
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Part of a name or of a member’s address; or how an id of account, team or key begins.'),
  state: z.enum(accountStates).optional(),
  after: recordId('an account').optional(),
})

export type OperatorAccountsQuery = z.output<typeof operatorAccountsQuery>

const account = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(accountStates),
  created_at: z.int(),
  closed_at: z.int().nullable(),
  credits: creditsNumber.describe('The balance, holds included.'),
  credits_reserved: creditsNumber,
})

export type OperatorAccount = z.output<typeof account>

/** Newest first. */
export const operatorAccountList = z.object({ data: z.array(account), has_more: z.boolean() })

/** One account: everything about it but what was said in its requests, which is stored nowhere. */
export const operatorAccountReply = account.extend({
  limits: operatorAccountLimits,
  open_requests: z.object({
    count: z.int(),
    oldest_at: z.int().nullable().describe('Seconds since the epoch.'),
  }),
  teams: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      cap: z
        .object({ credits: creditsNumber, period: z.enum(budgetPeriods), used: creditsNumber, reserved: creditsNumber })
        .nullable(),
    }),
  ),
  members: z.array(
    z.object({
      team_id: z.string(),
      user_id: z.string(),
      name: z.string(),
      email: z.string(),
      role: z.enum(teamRoles),
      since: z.int(),
    }),
  ),
  keys: z.array(teamKey.omit({ is_own: true })).describe('The newest 100, ended ones too.'),
  requests: z
    .array(
      z.object({
        request_id: z.string(),
        created: z.int(),
        type: z.string(),
        model: z.string(),
        status: z.enum(usageStatuses),
        error_code: z.string().nullable(),
        credits_charged: creditsNumber,
      }),
    )
    .describe('The last 10.'),
  fundings: z
    .array(
      z.object({
        id: z.string(),
        kind: z.enum(['grant', 'adjustment', 'deposit']),
        credits: creditsNumber,
        reason: z.string().nullable(),
        created: z.int(),
      }),
    )
    .describe('The last 20 movements that no request made.'),
})

export type OperatorAccountDetails = z.output<typeof operatorAccountReply>

export const operatorAccountPath = z.object({
  // A byte of zero is text that no database takes.
  account_id: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[\x21-\x7e]+$/, 'expected the id of an account.'),
})

export const accountStateChange = z.object({ state: z.enum(accountStates), reason: operatorReason })

/** An amount as a person typed it: exact decimal text, with a sign where it takes away. */
const signedCredits = z
  .string()
  .max(40)
  .refine((text) => {
    const amount = parseCredits(text)
    return amount !== null && amount !== 0n
  }, 'Expected a number of credits that is not 0, with at most nine decimals.')

export const creditChange = z.object({
  kind: z.enum(['grant', 'adjustment']),
  credits: signedCredits,
  reason: operatorReason.describe('In words for the account’s owner: shown in the statement.'),
  id: z
    .string()
    .regex(/^[\w.:-]{1,100}$/, 'expected 1 to 100 letters, digits, dots, colons, hyphens or underscores.')
    .describe('Name of this effect: the same twice is one.'),
})

export const creditChangeReply = z.object({
  transfer_id: z.string(),
  is_repeated: z.boolean().describe('True when it was already recorded; then nothing has changed.'),
  credits: creditsNumber.describe('The balance now.'),
})

export const accountExportQuery = z.object({ reason: operatorReason })
