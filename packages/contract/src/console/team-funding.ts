import { z } from 'zod'
import { deposit, depositAddressReply, depositList, depositPath } from '../deposits.ts'
import { EMAIL_ADDRESS_LENGTH_MAX, isPlainEmailAddress } from '../email-address.ts'
import { usdNumber } from '../money-schema.ts'
import { linkedWalletPath } from '../wallets.ts'
import { teamPath } from './team-keys.ts'

/** Where a team pays, and what else the page of deposits offers. */
export const teamDepositAddress = depositAddressReply.extend({
  mails_receipts: z.boolean().describe('Whether receipts can be mailed.'),
})

export type TeamDepositAddress = z.output<typeof teamDepositAddress>

/** What one ETH is worth now, by the source that values deposits. */
export const teamPrices = z.object({
  data: z
    .array(
      z.object({
        chainId: deposit.shape.chainId,
        asset: z.literal('ETH'),
        price_usd: usdNumber.nullable().describe('US dollars of one ETH; null while the chain says none.'),
        priced_at: z.int().nullable().describe('When the source gave it, in seconds since the epoch.'),
        asked_at: z.int().describe('When the gateway asked for it, in seconds since the epoch.'),
      }),
    )
    .describe('One for each chain that takes ETH.'),
})

export type TeamPrices = z.output<typeof teamPrices>

/** A deposit as the console shows it. */
export const teamDeposit = deposit.extend({
  eta_seconds: z
    .int()
    .nullable()
    .describe('About how long until its block is final; null once it is, and when it cannot be estimated.'),
})

export type TeamDeposit = z.output<typeof teamDeposit>

export const teamDepositList = depositList.extend({ data: z.array(teamDeposit) })

export const teamDepositPath = teamPath.extend(depositPath.shape)
export const teamWalletPath = teamPath.extend(linkedWalletPath.shape)

/** Who is mailed the receipt of a deposit. The email is written from the records alone. */
export const teamReceiptRequest = z.object({
  email: z
    .string()
    .max(EMAIL_ADDRESS_LENGTH_MAX)
    .refine(isPlainEmailAddress, 'expected one plain address such as name@example.com.'),
})
