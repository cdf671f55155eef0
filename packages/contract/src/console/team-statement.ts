import { z } from 'zod'
import { creditsNumber } from '../money-schema.ts'
import { teamPath } from './team-keys.ts'
import { wholeNumber } from '../whole-number.ts'

/** What moves a balance. Source: decision 0044 (funding in the console). */
export const statementKinds = ['deposit', 'grant', 'adjustment', 'charge'] as const
export type StatementKind = (typeof statementKinds)[number]

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/

export const statementMonth = z
  .string()
  .regex(MONTH, 'expected a month such as 2026-01.')
  .describe('A month of UTC, such as 2026-01.')

export const teamStatementQuery = z.object({ month: statementMonth })

const ENTRY_PAGE_DEFAULT = 50
const ENTRY_PAGE_MAX = 200

export const teamStatementEntriesQuery = teamStatementQuery.extend({
  limit: wholeNumber({ min: 1, max: ENTRY_PAGE_MAX }).prefault(ENTRY_PAGE_DEFAULT),
  after: z.string().min(1).max(64).optional().describe('Id of the last entry of the page before.'),
})

/** Longest id of a transfer: an operator may have chosen it. */
const ENTRY_ID_MAX = 200

export const teamStatementEntryPath = teamPath.extend({ entry_id: z.string().min(1).max(ENTRY_ID_MAX) })

export type TeamStatementEntriesQuery = z.output<typeof teamStatementEntriesQuery>

/** The month of an account, from the rows of its ledger: opening + the sums of all kinds = closing, exactly. */
export const teamStatement = z.object({
  month: statementMonth,
  first_month: statementMonth.describe('The month in which the account was made.'),
  account_id: z.string(),
  from: z.int().describe('Seconds since the epoch; the month begins.'),
  to: z.int().describe('Seconds since the epoch; the next month begins.'),
  as_of: z.int().describe('Seconds since the epoch: what was booked later is not in it.'),
  is_over: z
    .boolean()
    .describe(
      'Whether it has been over for a day: what a database could not take for hours is booked by its own time.',
    ),
  opening_credits: creditsNumber.describe('The balance at its beginning.'),
  sums: z.array(
    z.object({
      kind: z.enum(statementKinds),
      entries: z.int(),
      credits: creditsNumber.describe('What they added to the balance; below 0 for what they took.'),
    }),
  ),
  closing_credits: creditsNumber.describe('The balance at its end, or now.'),
})

export type TeamStatement = z.output<typeof teamStatement>

/** One movement of the balance. */
export const teamStatementEntry = z.object({
  id: z.string().describe('Id of the transfer: of a charge the id of its request, of a deposit that of the deposit.'),
  at: z.int().describe('When it was booked, in seconds since the epoch.'),
  kind: z.enum(statementKinds),
  credits: creditsNumber.describe('What it added to the balance; below 0 for what it took.'),
  balance_credits: creditsNumber.describe('The balance after it.'),
  model: z.string().nullable().describe('Of a charge.'),
  type: z.string().nullable().describe('Of a charge: the type of the request.'),
  key_name: z.string().nullable().describe('Of a charge.'),
  deposit: z
    .object({ id: z.string(), asset: z.string(), amount: z.string(), chainId: z.int(), txHash: z.string() })
    .nullable(),
  reason: z.string().nullable().describe('Of a grant or an adjustment: what the operator noted.'),
})

export type TeamStatementEntry = z.output<typeof teamStatementEntry>

/** Oldest first. */
export const teamStatementEntries = z.object({
  data: z.array(teamStatementEntry),
  opening_credits: creditsNumber.describe('The balance before the first of them.'),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
})

export type TeamStatementEntries = z.output<typeof teamStatementEntries>
