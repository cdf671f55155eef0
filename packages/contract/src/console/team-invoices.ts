import { z } from 'zod'
import { creditsNumber, usdNumber } from '../money-schema.ts'
import { party, partyAddress, partyName, taxId } from './party.ts'
import { teamPath } from './team-keys.ts'
import { statementKinds, statementMonth } from './team-statement.ts'

/** Whom documents are made out to, and who makes them out. */
export const teamBilling = z.object({
  details: party.nullable().describe('Of the team’s account; null until a member has given them.'),
  seller: party.nullable().describe('Null until the operator has given them: then there are no invoices.'),
  is_test: z.boolean().describe('Whether all of it is test money.'),
})

export type TeamBilling = z.output<typeof teamBilling>

export const teamBillingDetails = z.strictObject({
  name: partyName,
  address: partyAddress,
  tax_id: taxId.nullable(),
})

const number = z.int().min(1).describe('Without gaps over the whole gateway.')

const NUMBER_DIGITS = 6

/** A number as documents write it, such as `INV-000042`. */
export function invoiceNumberText(value: number): string {
  return `INV-${String(value).padStart(NUMBER_DIGITS, '0')}`
}

/** What an invoice says at first sight. */
const invoiceHead = z.object({
  number,
  month: statementMonth,
  issued_at: z.int().describe('Seconds since the epoch.'),
  total_credits: creditsNumber.describe('Charges of the month less corrections, exactly.'),
  total_usd: usdNumber.describe('The same in US dollars, exactly.'),
})

export const teamInvoiceList = z.object({
  data: z.array(invoiceHead).describe('Newest first.'),
  open_months: z.array(statementMonth).describe('Months that an invoice can be issued for, newest first.'),
})

export type TeamInvoiceList = z.output<typeof teamInvoiceList>

/** Body of `POST …/invoices`. */
export const newTeamInvoice = z.object({ month: statementMonth })

/** One invoice as it was issued. Its lines add up to its total. */
export const teamInvoice = invoiceHead.extend({
  is_test: z.boolean(),
  seller: party,
  note: z.string().nullable().describe('What the operator has every invoice say.'),
  buyer: party,
  account_id: z.string(),
  from: z.int().describe('Seconds since the epoch; the month begins.'),
  to: z.int().describe('Seconds since the epoch; the next month begins.'),
  lines: z
    .array(
      z.object({
        kind: z.enum(['usage', 'correction']),
        type: z.string().nullable().describe('Of usage: the type of the requests.'),
        model: z.string().nullable().describe('Of usage; null for requests whose records were moved to files.'),
        entries: z.int(),
        credits: creditsNumber.describe('Below 0 for what a correction gave back.'),
        usd: usdNumber,
      }),
    )
    .describe('The dearest first.'),
  total_usd_cents: z.string().describe('The total in US dollars to the cent, halves away from zero.'),
  opening_credits: creditsNumber.describe('The balance when the month began.'),
  sums: z
    .array(z.object({ kind: z.enum(statementKinds), credits: creditsNumber }))
    .describe('What moved the balance, all of the month.'),
  closing_credits: creditsNumber,
  booked_later_credits: creditsNumber.describe(
    'What the ledger has booked into the month after the invoice was issued; 0 in all but rare cases.',
  ),
})

export type TeamInvoice = z.output<typeof teamInvoice>

export const teamInvoicePath = teamPath.extend({
  number: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'expected the number of an invoice, such as 42.')
    .transform(Number),
})
