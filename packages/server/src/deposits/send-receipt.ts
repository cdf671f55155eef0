import { setTimeout as pauseFor } from 'node:timers/promises'
import { nanocreditsOf, type NotifyReply, parseCredits } from '@svc/contract'
import { CHAIN_IDS, type Asset, type Hex } from '../chain/assets.ts'
import { formatAmount } from '../chain/format-amount.ts'
import { chainText } from '../chain/test-money.ts'
import { renderFundingReceipt } from '../platform/mail/funding-receipt.ts'
import { type DeliveryResult, type OutboxDeps, sendMail } from '../platform/mail/outbox.ts'
import type { DepositStore } from './deposit-store.ts'
import type { Deposit } from './deposit.ts'
import { renderDepositId } from './render-deposit.ts'

export interface SendReceiptDeps {
  readonly store: Pick<DepositStore, 'listPaid'>
  /** Null where no mail is sent. */
  readonly outbox: OutboxDeps | null
  /** Page of the console that shows credits and deposits of a team. */
  readonly linkOf: (teamId: string) => string
  /** Whether the chains run on the gateway's own machine. */
  readonly isLocal: boolean
  /** What the gateway is called. */
  readonly brand: () => Promise<string>
}

/** Whose deposit it is: an account, and the team that it belongs to. */
export interface ReceiptOwner {
  readonly accountId: string
  readonly teamId: string
}

interface Recipient {
  readonly teamId: string
  readonly email: string
}

export interface ReceiptRequest {
  /** A plain address. */
  readonly email: string
  readonly txHash: Hex
  readonly asset: Asset
  /** What the caller says that the deposit was worth: the source text of a JSON number. */
  readonly credits: string
}

/** How long a caller waits for the mail server, in milliseconds. The email is tried again without them. */
const FIRST_ATTEMPT_MS = 8_000

/**
 * Mails the receipt of a credited deposit of an account, if asset and credits are those of our records. Of what the
 * caller wrote, the email holds only the address that it goes to.
 *
 * Source: decision 0031 (the funding receipt).
 */
export async function sendReceipt(
  deps: SendReceiptDeps,
  { accountId, teamId }: ReceiptOwner,
  request: ReceiptRequest,
): Promise<NotifyReply> {
  const { outbox } = deps
  if (outbox === null) return { sent: false, reason: 'disabled' }
  const credited = await findCredited(deps, accountId, request.txHash)
  if (credited.length === 0) return { sent: false, reason: 'unknown_deposit' }
  const deposits = credited.filter(({ asset }) => asset === request.asset)
  if (deposits.length === 0 || !isSameAmount(request.credits, creditsOf(deposits))) {
    return { sent: false, reason: 'mismatch' }
  }
  return mailReceipt({ ...deps, outbox }, deposits, { teamId, email: request.email })
}

/**
 * The same for a deposit that was found by its id: the email is about all that its transaction paid to the account in
 * that asset.
 *
 * @param to the deposit's own team, and a plain address.
 */
export async function sendReceiptOf(deps: SendReceiptDeps, deposit: Deposit, to: Recipient): Promise<NotifyReply> {
  const { outbox } = deps
  if (outbox === null) return { sent: false, reason: 'disabled' }
  const credited = await findCredited(deps, deposit.accountId, deposit.txHash)
  const deposits = credited.filter(({ asset, chainId }) => asset === deposit.asset && chainId === deposit.chainId)
  if (deposit.state !== 'credited' || deposits.length === 0) return { sent: false, reason: 'unknown_deposit' }
  return mailReceipt({ ...deps, outbox }, deposits, to)
}

/** @param deposits of one asset in one transaction, all credited; never empty. */
async function mailReceipt(
  { outbox, ...deps }: SendReceiptDeps & { readonly outbox: OutboxDeps },
  deposits: readonly Deposit[],
  { teamId, email }: Recipient,
): Promise<NotifyReply> {
  const [first] = deposits
  if (first === undefined) return { sent: false, reason: 'unknown_deposit' }
  const result = await sendMail(outbox, {
    kind: 'funding_receipt',
    accountId: first.accountId,
    topic: `deposit:${first.chainId}:${first.txHash}:${first.asset}`,
    recipient: email,
    content: renderFundingReceipt({
      ...receiptOf(deps, first, deposits),
      ...{ brand: await deps.brand(), link: deps.linkOf(teamId) },
    }),
  })
  switch (result.kind) {
    case 'suppressed':
      return { sent: false, reason: 'suppressed' }
    case 'repeated':
      return { sent: false, reason: 'throttled' }
    case 'throttled':
      return { sent: false, reason: 'throttled', retry_after: Math.ceil(result.retryAfterMs / 1_000) }
    case 'queued':
      return replyInTime(result.delivery)
  }
}

/** The caller does not wait for what comes after the time. */
async function replyInTime(delivery: Promise<DeliveryResult>): Promise<NotifyReply> {
  const slow = new AbortController()
  const outcome = await Promise.race([
    delivery,
    pauseFor(FIRST_ATTEMPT_MS, 'queued' as const, { signal: slow.signal }),
  ]).finally(() => slow.abort())
  return outcome === 'sent' ? { sent: true } : { sent: false, reason: outcome }
}

/** Everything that the transaction paid to the account, once all of it that is owed is credited. */
async function findCredited(
  { store }: Pick<SendReceiptDeps, 'store'>,
  accountId: string,
  txHash: Hex,
): Promise<readonly Deposit[]> {
  for (const chainId of CHAIN_IDS) {
    const found = (await store.listPaid(chainId, txHash)).filter((deposit) => deposit.accountId === accountId)
    const credited = found.filter(({ state }) => state === 'credited')
    if (credited.length > 0) return credited
  }
  return []
}

function creditsOf(deposits: readonly Deposit[]): bigint {
  return deposits.reduce((sum, { credits }) => sum + (credits ?? 0n), 0n)
}

/**
 * Exactly the same, or the same as far as a float can say: many clients hold the number in one, and it decides about
 * nothing but whether the caller means this deposit.
 */
function isSameAmount(text: string, credits: bigint): boolean {
  if (parseCredits(text) === credits) return true
  return Number(text) === Number(credits) / 1e9
}

function receiptOf({ isLocal }: Pick<SendReceiptDeps, 'isLocal'>, first: Deposit, deposits: readonly Deposit[]) {
  const amount = deposits.reduce((sum, deposit) => sum + deposit.amount, 0n)
  return {
    depositId: renderDepositId(first.depositId),
    asset: first.asset,
    amount: formatAmount(amount, first.asset),
    credits: nanocreditsOf(creditsOf(deposits)),
    price: first.asset === 'ETH' ? first.price : null,
    network: chainText(first.chainId, isLocal),
    transactionHash: first.txHash,
    creditedAt: Math.max(...deposits.map(({ creditedAt }) => creditedAt ?? 0)),
  }
}
