import { z } from 'zod'
import { creditsNumber, usdNumber } from './money-schema.ts'
import { recordId } from './record-id.ts'
import type { TextForm } from './text-form.ts'
import { wholeNumber } from './whole-number.ts'

/** Networks on which deposits arrive. Source: spec 8. */
export const depositChainIds = [4663, 46630] as const

/** What can be deposited. Source: spec 8. */
export const depositAssets = ['USDG', 'ETH'] as const

const TRANSACTION_HASH = /^\s*(?:0x)?([0-9a-f]{64})\s*$/i

/**
 * Gives the one spelling of a transaction hash: lower case, with `0x`. Letter case, blanks around it and a missing
 * `0x` make no difference.
 *
 * @returns null when the text is no such hash.
 */
export function parseTransactionHash(text: string): `0x${string}` | null {
  const digits = TRANSACTION_HASH.exec(text)?.[1]
  return digits === undefined ? null : `0x${digits.toLowerCase()}`
}

/** Longer texts are not looked at. */
const TEXT_LENGTH_MAX = 200
const HASH_EXPECTED = 'expected 0x and 64 hex digits.'

/** The form of a transaction hash, in any of its spellings. */
export const transactionHashForm: TextForm = {
  matches: (text) => text.length <= TEXT_LENGTH_MAX && parseTransactionHash(text) !== null,
  expected: HASH_EXPECTED,
}

/** A transaction hash in any of its spellings; parsed to the one that is compared. */
export const transactionHash = z
  .string()
  .max(TEXT_LENGTH_MAX)
  .describe('The hash of the transaction: `0x` and 64 hex digits.')
  .transform((text, context) => {
    const hash = parseTransactionHash(text)
    if (hash !== null) return hash
    context.addIssue({ code: 'custom', message: HASH_EXPECTED })
    return z.NEVER
  })

const chainId = z.literal(depositChainIds).describe('4663 is Robinhood Chain, 46630 its test network.')
const asset = z.enum(depositAssets)

/** Body of `POST /deposits/claim`. Source: spec 2.9. */
export const claimRequest = z.object({ txHash: transactionHash, asset, chainId })

export type ClaimRequest = z.output<typeof claimRequest>

const rawAmount = z.string().describe('Exact decimal of the asset, such as `25.000000`.')
const creditsOwed = creditsNumber.nullable().describe('What it is worth; null until that is known.')
const dollars = usdNumber.nullable().describe('`credits` in US dollars.')
const price = {
  price_usd: usdNumber.nullable().describe('US dollars of one unit of the asset; null until that is known.'),
  priced_at: z.int().nullable().describe('The time that the price belongs to, in seconds since the epoch.'),
}

/** States of a deposit. */
export const depositStates = ['seen', 'confirming', 'credited', 'reversed', 'under_review', 'rejected'] as const

/** Why a deposit is not in the balance yet. */
export const pendingReasons = [
  'unmined',
  'reorg',
  'confirming',
  'awaiting_price',
  'below_minimum',
  'awaiting_outflow',
  'under_review',
] as const

const reason = z
  .enum(pendingReasons)
  .nullable()
  .describe('Why it is not in the balance yet; null once it is, or when an operator has rejected it.')

/** One transfer to the account. A transaction may hold several. */
export const deposit = z
  .object({
    object: z.literal('deposit'),
    id: z.string(),
    status: z
      .enum(depositStates)
      .describe(
        'seen: in a block. confirming: in a block that is not final, or waits for what `reason` says. credited: in ' +
          'the balance. reversed: its block left the chain. under_review: an operator decides. rejected: an operator ' +
          'decided against it.',
      ),
    reason,
    credited: z.boolean().describe('Whether its credits are in the balance.'),
    credits: creditsOwed,
    txHash: z.string(),
    chainId,
    asset,
    amount: rawAmount,
    amount_usd: dollars,
    ...price,
    address: z.string().describe('Where it arrived.'),
    block_number: z.int(),
    created: z.int().describe('When it was first seen, in seconds since the epoch.'),
    final_at: z
      .int()
      .nullable()
      .describe('When its block was first found to be final, in seconds since the epoch; null until then.'),
    credited_at: z.int().nullable().describe('Seconds since the epoch; null until then.'),
  })
  .meta({ id: 'Deposit' })

export type DepositBody = z.output<typeof deposit>

/** What a claim answers: the transfers of one asset in one transaction to this account, together. */
export const claimReply = z
  .object({
    object: z.literal('deposit'),
    id: z.string().nullable().describe('Id of the first transfer; null while the transaction is in no block.'),
    status: z
      .enum(['pending', 'credited', 'rejected'])
      .describe('rejected: an operator decided against it; it will not be credited.'),
    credited: z.boolean().describe('Whether all of it is in the balance.'),
    already_claimed: z.boolean().describe('Whether it was in the balance before this request.'),
    credits: creditsNumber.nullable().describe('What the deposit is worth; null until that is known.'),
    reason,
    eta_seconds: z.int().nullable().describe('About how long until it is credited; null when it cannot be estimated.'),
    safe: z
      .boolean()
      .nullable()
      .describe('Whether its block is safe, though not final; null where it does not matter.'),
    txHash: z.string(),
    chainId,
    asset,
    amount: rawAmount.nullable(),
    amount_usd: dollars,
    ...price,
    transfers: z
      .array(
        z.object({
          id: z.string().describe('For `GET /deposits/{deposit_id}`.'),
          status: z.enum(depositStates),
          amount: rawAmount,
          credits: creditsOwed,
        }),
      )
      .describe('Each transfer in the transaction.'),
    balance: creditsNumber.describe('The balance of the account now.'),
  })
  .meta({ id: 'Claim' })

export type ClaimReply = z.output<typeof claimReply>

/** How deposits become an account's: by an address of its own, or by the wallet that sends them. */
export const depositModes = ['address', 'wallet'] as const

/** Where to pay. */
export const depositAddressReply = z
  .object({
    object: z.literal('deposit_address'),
    mode: z
      .enum(depositModes)
      .describe('address: payments to it are credited to this account. wallet: only payments of linked wallets count.'),
    minimum_usd: usdNumber.describe('Smaller deposits are kept and credited once they reach it together.'),
    chains: z.array(
      z.object({
        chainId,
        name: z.string(),
        testnet: z.boolean().describe('Takes test money only: a test network, or a chain of the sandbox’s own.'),
        local: z.boolean().describe('A chain of the sandbox’s own, on the machine of the gateway.'),
        address: z.string().describe('Where to pay on this network; with the checksum of ERC-55.'),
        assets: z.array(
          z.object({
            asset,
            decimals: z.int(),
            token: z.string().nullable().describe('The contract of the token; null for ETH.'),
            uri: z.string().describe('A payment request for wallets, for a link or a QR code. Source: ERC-681.'),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'DepositAddress' })

export type DepositAddressReply = z.output<typeof depositAddressReply>

const DEPOSIT_PAGE_DEFAULT = 50
const DEPOSIT_PAGE_MAX = 200

const depositId = recordId('a deposit', 'dep_')

/** Page of `GET /deposits`. */
export const depositsQuery = z.object({
  limit: wholeNumber({ min: 1, max: DEPOSIT_PAGE_MAX }).prefault(DEPOSIT_PAGE_DEFAULT),
  after: depositId.optional().describe('Id of the last deposit of the page before.'),
})

export type DepositsQuery = z.output<typeof depositsQuery>

/** A page of deposits, newest first. */
export const depositList = z
  .object({
    object: z.literal('list'),
    data: z.array(deposit),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'DepositList' })

export type DepositListReply = z.output<typeof depositList>

export const depositPath = z.object({ deposit_id: depositId })
