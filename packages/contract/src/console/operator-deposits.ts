import { z } from 'zod'
import { deposit, depositPath, depositStates } from '../deposits.ts'
import { recordId } from '../record-id.ts'
import { operatorReason } from './operator-settings.ts'

const block = z.object({ number: z.int(), hash: z.string(), time: z.int() }).nullable()

/** A deposit as the operator sees it. */
export const operatorDeposit = deposit.extend({
  account_id: z.string(),
  amount_decimal: z.string().describe('The amount in whole units of the asset, such as 25.000000.'),
  ordinal: z.string().describe('Its place in the transaction.'),
  sender: z.string().nullable(),
  note: z.string().nullable().describe('Why it is under review, or what an operator noted.'),
})

export type OperatorDeposit = z.output<typeof operatorDeposit>

export const operatorDepositsQuery = z.object({
  state: z.enum(depositStates).optional(),
  account: recordId('an account').optional(),
  after: depositPath.shape.deposit_id.optional(),
})

export const operatorDepositList = z.object({ data: z.array(operatorDeposit), has_more: z.boolean() })

export const operatorDepositReply = z.object({
  deposit: operatorDeposit,
  decisions: z.array(
    z.object({
      decision: z.enum(['release', 'reject']),
      reason: z.string(),
      price_usd: z.string().nullable(),
      by: z.string(),
      at: z.int(),
    }),
  ),
})

/** `GET …/evidence`: what each provider of the chain says now. */
export const depositEvidenceReply = z.object({
  providers: z
    .array(
      z.object({
        name: z.string(),
        problem: z.string().nullable().describe('Why it says nothing; null where it does.'),
        state: z.enum(['unknown', 'unmined', 'displaced', 'reverted', 'mined']).nullable(),
        finality: z.enum(['latest', 'safe', 'finalized']).nullable(),
        block,
        transfer: z.object({ asset: z.string(), from: z.string(), to: z.string(), amount: z.string() }).nullable(),
        is_as_recorded: z.boolean().describe('Whether block, sender, receiver, asset and amount are as recorded.'),
        price_usd: z.string().nullable(),
      }),
    )
    .nullable()
    .describe('Null where no node can be asked: the chain is not watched, or no transaction is known.'),
})

export type DepositEvidence = z.output<typeof depositEvidenceReply>

export const depositVerdict = z.object({
  decision: z.enum(['release', 'reject']),
  reason: operatorReason,
  price_usd: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,18})?$/, 'expected US dollars for one unit, as a decimal.')
    .nullish()
    .describe('For a deposit that has no price.'),
})
