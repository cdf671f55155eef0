import { z } from 'zod'
import { parseCredits } from '../credits.ts'
import { receiptBody } from '../log/receipt.ts'
import { creditsNumber } from '../money-schema.ts'
import { usageReply } from '../usage.ts'
import { operatorReason } from './operator-settings.ts'

export const operatorRequestPath = z.object({ request_id: z.string().min(1).max(64) })

const time = z.string().describe('ISO 8601.')

/** `GET /console/operator/requests/{request_id}`: all that is known of one request of any account. */
export const operatorRequestReply = z.object({
  record: usageReply.describe('As its owner sees it.'),
  operator: z.object({
    account_id: z.string().nullable().describe('Null while the request runs.'),
    key_id: z.string(),
    key_name: z.string(),
    upstream: z.string().nullable(),
    generation_id: z.string().nullable().describe('The upstream’s own id.'),
    credits_cost: creditsNumber.nullable().describe('What the upstream charges; null while the request runs.'),
    credits_written_off: creditsNumber.nullable(),
  }),
  hold: z
    .object({
      state: z.string(),
      credits: creditsNumber.describe('The most that was held.'),
      credits_at_first: creditsNumber,
      extensions: z.array(z.object({ credits: creditsNumber, at: time })),
      placed_at: time,
      ended_at: time.nullable(),
      process_id: z.string(),
    })
    .nullable()
    .describe('Null where it was removed.'),
  transfers: z
    .array(
      z.object({
        id: z.string(),
        kind: z.string(),
        credits_charged: creditsNumber,
        credits_written_off: creditsNumber,
        credits_cost: creditsNumber,
        credits_margin: creditsNumber,
        credits_funded: creditsNumber.describe('What came to the account: a refund.'),
        reason: z.string().nullable(),
        created_at: time,
      }),
    )
    .describe('Its settlement, and its refund where there is one.'),
  attempts: z
    .array(
      z.object({
        upstream: z.string(),
        upstream_model: z.string(),
        failure: z.string().nullable().describe('Its kind; null where it went well.'),
        generation_id: z.string().nullable(),
        credits_cost: creditsNumber.nullable().describe('As far as it was known then.'),
        ended_at: time.nullable().describe('When the attempts were over; null for one that went well alone.'),
      }),
    )
    .describe('In the order in which they were made. One that made several generations is there for each.'),
  receipt: receiptBody.nullable(),
  receipt_problem: z.string().nullable().describe('Why there is no receipt: a code.'),
})

export type OperatorRequest = z.output<typeof operatorRequestReply>

const refundedCredits = z
  .string()
  .max(40)
  .refine((text) => (parseCredits(text) ?? 0n) > 0n, 'Expected credits above 0, with at most nine decimals.')

export const requestRefund = z.object({
  credits: refundedCredits.optional().describe('A part of the charge; all of it if absent.'),
  reason: operatorReason.describe('In words for the account’s owner: shown in the statement.'),
})

export const requestRefundReply = z.object({
  transfer_id: z.string(),
  account_id: z.string(),
  credits: creditsNumber.describe('What was given back.'),
  is_repeated: z.boolean().describe('True when it was already recorded; then nothing has changed.'),
})
