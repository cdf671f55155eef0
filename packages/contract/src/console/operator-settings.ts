import { z } from 'zod'
import { invoiceNote, partyAddress, partyName, taxId } from './party.ts'

export const BRAND_LENGTH_MAX = 40
export const TERMS_LENGTH_MAX = 50_000
export const OPERATOR_REASON_LENGTH_MAX = 500

/** Why something is done; kept for good. */
export const operatorReason = z
  .string()
  .trim()
  .min(1, 'Give a reason.')
  .max(OPERATOR_REASON_LENGTH_MAX)
  .describe('In words; kept in the journal for good.')

const signup = z.enum(['closed', 'invite', 'open'])
const brand = z
  .string()
  .trim()
  .min(1)
  .max(BRAND_LENGTH_MAX)
  .regex(/^[^\p{Cc}]+$/u, 'expected a name without control characters.')
const termsUrl = z
  .url({ protocol: /^https?$/, error: 'Expected an address that begins with https:// or http://.' })
  .max(500)
const termsText = z.string().trim().min(1).max(TERMS_LENGTH_MAX)

const settings = z.object({
  signup: signup.describe('Who may make an account: no one, the invited, everyone.'),
  allows_passwords: z.boolean(),
  allows_wallets: z.boolean(),
  allows_passkeys: z.boolean(),
  brand: z.string().describe('What pages and emails call the gateway.'),
  terms_url: z.string().nullable().describe('Address of the terms; takes precedence over the text.'),
  terms_text: z.string().nullable().describe('Terms that the console shows itself.'),
  business_name: z.string().nullable().describe('Who sells, on invoices and receipts.'),
  business_address: z.string().nullable().describe('Lines. Invoices need it and the name.'),
  business_tax_id: z.string().nullable(),
  invoice_note: z.string().nullable().describe('What every invoice says at its end.'),
})

export type OperatorSettings = z.output<typeof settings>

const setting = z.object({ at: z.int(), by: z.string().nullable() })

/** `GET /console/operator/settings`. */
export const operatorSettingsReply = z.object({
  settings,
  defaults: settings.describe('What holds where nothing is set.'),
  set: z
    .object({
      signup: setting,
      allows_passwords: setting,
      allows_wallets: setting,
      allows_passkeys: setting,
      brand: setting,
      terms_url: setting,
      terms_text: setting,
      business_name: setting,
      business_address: setting,
      business_tax_id: setting,
      invoice_note: setting,
    })
    .partial()
    .describe('Who set what, and when in seconds since the epoch.'),
})

/** Absent stays; null goes back to what holds where nothing is set. */
export const operatorSettingsChange = z
  .strictObject({
    signup: signup.nullable(),
    allows_passwords: z.boolean().nullable(),
    allows_wallets: z.boolean().nullable(),
    allows_passkeys: z.boolean().nullable(),
    brand: brand.nullable(),
    terms_url: termsUrl.nullable(),
    terms_text: termsText.nullable(),
    business_name: partyName.nullable(),
    business_address: partyAddress.nullable(),
    business_tax_id: taxId.nullable(),
    invoice_note: invoiceNote.nullable(),
  })
  .partial()

export type OperatorSettingsChange = z.output<typeof operatorSettingsChange>

/** `GET /console/terms`. */
export const termsReply = z.object({
  brand: z.string(),
  text: z.string().nullable().describe('Null where the terms are at an address, or there are none.'),
  url: z.string().nullable(),
})

const listedOperator = z.object({
  user_id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  since: z.int(),
  is_you: z.boolean(),
})

export const operatorList = z.object({ data: z.array(listedOperator) })

export const newOperator = z.object({
  email: z.email().max(254).describe('Of a person who has signed in here before.'),
  reason: operatorReason,
})

export const operatorPath = z.object({ user_id: z.string().min(1).max(64) })
export const operatorReasonBody = z.object({ reason: operatorReason })
