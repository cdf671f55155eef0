import { z } from 'zod'
import { depositAssets, transactionHash } from './deposits.ts'
import { EMAIL_ADDRESS_LENGTH_MAX, isPlainEmailAddress } from './email-address.ts'

/** Body of `POST /notify/deposit`. Source: spec 2.10. */
export const notifyRequest = z.object({
  email: z
    .string()
    .max(EMAIL_ADDRESS_LENGTH_MAX)
    .refine(isPlainEmailAddress, 'expected one plain address such as name@example.com.')
    .describe('One plain address: no name, no list, no quotes; a host outside of ASCII in its `xn--` form.'),
  txHash: transactionHash,
  credits: z.number().describe('What the deposit was worth, as its claim said.'),
  asset: z.enum(depositAssets),
})

export type NotifyRequest = z.output<typeof notifyRequest>

/** Why no receipt was sent by this request. */
export const notifyReasons = [
  'throttled',
  'unknown_deposit',
  'mismatch',
  'disabled',
  'queued',
  'refused',
  'suppressed',
] as const

/** What `POST /notify/deposit` answers. */
export const notifyReply = z
  .object({
    sent: z.boolean().describe('Whether a mail server has taken the receipt.'),
    reason: z
      .enum(notifyReasons)
      .optional()
      .describe(
        'throttled: too many, or this receipt went to this address before. unknown_deposit: the account has no such ' +
          'credited deposit. mismatch: credits or asset are not those of the deposit. disabled: no mail is sent ' +
          'here. queued: the mail server could not be reached, and it is tried again. refused: the mail server ' +
          'does not take mail for this address. suppressed: the address wants no mail. Absent when it was sent.',
      ),
    retry_after: z.int().optional().describe('throttled: seconds after which another receipt may be sent.'),
  })
  .meta({ id: 'NotifyReply' })

export type NotifyReply = z.output<typeof notifyReply>
