import { z } from 'zod'
import { depositChainIds } from './deposits.ts'
import { recordId, recordIdForm } from './record-id.ts'
import { textForm } from './text-form.ts'

const MESSAGE_LENGTH_MAX = 4_000
/** Room for the signature of a contract that is yet to be made, which holds the call that makes it. */
const SIGNATURE_LENGTH_MAX = 20_000

const chainId = z.literal(depositChainIds).describe('4663 is Robinhood Chain, 46630 its test network.')

const ADDRESS = /^0[xX][0-9a-fA-F]{40}$/
const ADDRESS_EXPECTED = 'expected 0x and 40 hex digits.'
const ADDRESS_LENGTH = 42

/** The form of a wallet's address. */
export const walletAddressForm = textForm(ADDRESS, ADDRESS_EXPECTED, ADDRESS_LENGTH)

const SIGNATURE = /^0[xX](?:[0-9a-fA-F]{2})+$/
const SIGNATURE_EXPECTED = 'expected 0x and hex digits in pairs.'

/** The form of a wallet's signature. */
export const walletSignatureForm = textForm(SIGNATURE, SIGNATURE_EXPECTED, SIGNATURE_LENGTH_MAX)

/** An address in any letter case; parsed to lower case. */
const walletAddress = z
  .string()
  .regex(ADDRESS, ADDRESS_EXPECTED)
  .transform((text) => text.toLowerCase() as `0x${string}`)

/** Body of `POST /deposits/wallets/challenge`. */
export const walletChallengeRequest = z.object({
  address: walletAddress.describe('The wallet that is to be linked.'),
  chainId,
})

export type WalletChallengeRequest = z.output<typeof walletChallengeRequest>

/** What a wallet is to sign. */
export const walletChallengeReply = z
  .object({
    object: z.literal('wallet_challenge'),
    message: z.string().describe('Sign exactly this text with `personal_sign`. Source: ERC-4361.'),
    expires: z.int().describe('Until when its signature counts, in seconds since the epoch.'),
  })
  .meta({ id: 'WalletChallenge' })

export type WalletChallengeReply = z.output<typeof walletChallengeReply>

/** Body of `POST /deposits/wallets`. */
export const linkWalletRequest = z.object({
  message: z.string().min(1).max(MESSAGE_LENGTH_MAX).describe('The message of the challenge, unchanged.'),
  signature: z
    .string()
    .max(SIGNATURE_LENGTH_MAX)
    .regex(SIGNATURE, SIGNATURE_EXPECTED)
    .transform((text) => text.toLowerCase() as `0x${string}`)
    .describe('Of the wallet; contracts may sign by ERC-1271, and before they exist by ERC-6492.'),
})

export type LinkWalletRequest = z.output<typeof linkWalletRequest>

/** A wallet whose payments to the treasury are the account's. */
export const linkedWallet = z
  .object({
    object: z.literal('linked_wallet'),
    id: z.string(),
    chainId,
    address: z.string().describe('With the checksum of ERC-55.'),
    proof: z.enum(['eoa', 'contract']).describe('eoa: its key has signed. contract: its code says that it has signed.'),
    linked: z.int().describe('Seconds since the epoch.'),
    unlinked: z.int().nullable().describe('Seconds since the epoch; null while it is linked.'),
  })
  .meta({ id: 'LinkedWallet' })

export type LinkedWalletBody = z.output<typeof linkedWallet>

/** The wallets of an account, the newest 200, those that were unlinked included. */
export const linkedWalletList = z
  .object({ object: z.literal('list'), data: z.array(linkedWallet) })
  .meta({ id: 'LinkedWalletList' })

export type LinkedWalletList = z.output<typeof linkedWalletList>

export const linkedWalletPath = z.object({
  wallet_id: recordId('a wallet', 'wal_'),
})

/** The form of a linked wallet's id. */
export const linkedWalletIdForm = recordIdForm('a wallet', 'wal_')

/** What unlinking answers. */
export const unlinkedWalletReply = z
  .object({ id: z.string(), object: z.literal('linked_wallet.deleted'), deleted: z.literal(true) })
  .meta({ id: 'UnlinkedWallet' })

export type UnlinkedWalletReply = z.output<typeof unlinkedWalletReply>
