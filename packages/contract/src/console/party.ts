/** Who sells and who buys, as invoices and receipts name them. */
import { z } from 'zod'

export const PARTY_NAME_LENGTH_MAX = 200
export const PARTY_ADDRESS_LENGTH_MAX = 500
export const TAX_ID_LENGTH_MAX = 60
export const INVOICE_NOTE_LENGTH_MAX = 1_000

/** Marks that turn the direction of text, and control characters other than the ends of lines. */
const hidden = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const VISIBLE = 'expected visible characters.'

const lineOf = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !hidden.test(text) && !text.includes('\n'), VISIBLE)

/** The name of a business or a person on a document. */
export const partyName = lineOf(PARTY_NAME_LENGTH_MAX)
const linesOf = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .transform((text) => text.replaceAll(/\r\n?/g, '\n'))
    .refine((text) => !hidden.test(text), VISIBLE)

/** Lines of an address. */
export const partyAddress = linesOf(PARTY_ADDRESS_LENGTH_MAX)
/** What a seller has every invoice say. */
export const invoiceNote = linesOf(INVOICE_NOTE_LENGTH_MAX)
export const taxId = lineOf(TAX_ID_LENGTH_MAX)

/** Who sells or buys, as a document names them. */
export const party = z.object({
  name: z.string(),
  address: z.string().describe('Lines.'),
  tax_id: z.string().nullable(),
})

export type InvoiceParty = z.output<typeof party>
