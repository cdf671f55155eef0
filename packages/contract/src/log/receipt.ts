/** The receipt of one line of an account: what was booked, why, and the proof that it is in the ledger log. */
import { z } from 'zod'
import { parseBase64 } from './bytes.ts'
import { ledgerEntry, ledgerRecord } from './ledger-entry.ts'
import { SALT_BYTES } from './ledger-leaf.ts'
import { openProof } from './open-proof.ts'

/** Longest text that is read as a receipt. */
export const RECEIPT_LENGTH_MAX = 1_000_000

const PROOF_LENGTH_MAX = 100_000

/** A receipt as the gateway gives it out, and as a file keeps it. */
export const receiptBody = z
  .strictObject({
    object: z.literal('receipt'),
    version: z.literal(1),
    entry: ledgerEntry,
    record: ledgerRecord.nullable().describe('Of the request; null where there was none.'),
    salt: z
      .string()
      .refine((text) => parseBase64(text)?.length === SALT_BYTES, `give ${SALT_BYTES} bytes as base64`)
      .describe('16 random bytes as base64, which only this receipt tells.'),
    proof: z
      .string()
      .max(PROOF_LENGTH_MAX)
      .refine((text) => openProof(text) !== null, 'give a proof of c2sp.org/tlog-proof with a signed checkpoint')
      .describe('The way from the leaf to the root, and the signed checkpoint: `c2sp.org/tlog-proof@v1`.'),
  })
  .meta({ id: 'Receipt' })

export type Receipt = Readonly<z.output<typeof receiptBody>>

/** What is wrong with a text that is no receipt. */
export interface ReceiptProblem {
  /** The member, such as `entry.amount`; empty for the whole. */
  readonly field: string
  /** A sentence without a full stop, which names the member. */
  readonly message: string
}

/** Reads a receipt. */
export function parseReceipt(text: string): { readonly receipt: Receipt } | { readonly problem: ReceiptProblem } {
  if (text.length > RECEIPT_LENGTH_MAX) return { problem: { field: '', message: 'it is too long' } }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { problem: { field: '', message: 'it is not JSON' } }
  }
  const parsed = receiptBody.safeParse(json)
  if (parsed.success) return { receipt: parsed.data }
  const [issue] = parsed.error.issues
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])].map(String)
  const field = path.join('.')
  const part = field === '' ? 'it is' : `its field "${field}" is`
  return { problem: { field, message: `${part} wrong (${issue?.message ?? 'not of a receipt’s form'})` } }
}
