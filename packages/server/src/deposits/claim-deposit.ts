import { type ClaimReply, creditsJson, decimalJson, nanocreditsOf, type Nanocredits, type Printed } from '@svc/contract'
import type { Asset, ChainId, Hex } from '../chain/assets.ts'
import { formatAmount } from '../chain/format-amount.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { DepositStore } from './deposit-store.ts'
import type { Deposit, PendingReason } from './deposit.ts'
import { renderDepositId, renderPrice, renderWorth } from './render-deposit.ts'
import type { SettleTransaction, TransactionOutcome } from './settle-transaction.ts'
import type { UnknownTransactions } from './unknown-transactions.ts'

export interface ClaimDepositDeps {
  readonly store: Pick<DepositStore, 'listPaid'>
  /** Null where deposits are off. */
  readonly settle: SettleTransaction | null
  /** What is taken on each chain; a chain that is missing is not enabled. */
  readonly enabled: ReadonlyMap<ChainId, readonly Asset[]>
  /** USD as decimal text. */
  readonly minimumUsd: string
  readonly unknown: UnknownTransactions
  readonly readPosted: (accountId: string) => Promise<Nanocredits>
  readonly clock: Clock
}

/** A claim with its parts in their one spelling. */
export interface Claim {
  readonly txHash: Hex
  readonly asset: Asset
  readonly chainId: ChainId
}

export interface ClaimAnswer {
  readonly body: Printed<ClaimReply>
  /** Seconds after which asking again makes sense; null once it is credited or nothing more can come. */
  readonly retryAfterSeconds: number | null
}

/** How long an unknown hash is not looked up again, and how long its claimant is asked to wait, in seconds. */
export const UNKNOWN_SECONDS = 10

/**
 * Answers a claim: what the transaction paid to this account in this asset, and whether it is in the balance. A claim
 * that comes first also has the transaction looked at, and credited where it is final.
 *
 * Everything that a claim can change is keyed by chain, transaction and place in it, so the same claim from any number
 * of processes credits once. What another account owns is never told apart from what does not exist.
 *
 * @throws {ServiceError} 403, 404, 422 or 503, in the order of the checks. Source: decision 0030 (claims).
 */
export async function claimDeposit(deps: ClaimDepositDeps, accountId: string, claim: Claim): Promise<ClaimAnswer> {
  const { settle } = deps
  const assets = deps.enabled.get(claim.chainId)
  if (settle === null || assets === undefined) {
    throw new ServiceError('chain_not_enabled', `Deposits on chain ${claim.chainId} are not taken here.`)
  }
  if (!assets.includes(claim.asset)) {
    throw new ServiceError('asset_not_enabled', `${claim.asset} on chain ${claim.chainId} is not taken here.`)
  }
  const recorded = await findOwn(deps, accountId, claim)
  if (recorded.length > 0) return answer(deps, claim, { accountId, deposits: recorded, etaSeconds: null, safe: null })

  if (deps.unknown.has(claim)) throw transactionNotFound(claim)
  const { chainId, txHash } = claim
  const outcome = await settle({ chainId, txHash, accountId })
  if (outcome.kind === 'unknown') deps.unknown.note(claim)
  return answerOutcome(deps, { claim, accountId }, outcome)
}

async function findOwn(
  { store }: Pick<ClaimDepositDeps, 'store'>,
  accountId: string,
  { chainId, txHash, asset }: Claim,
): Promise<readonly Deposit[]> {
  const deposits = await store.listPaid(chainId, txHash)
  return deposits.filter((deposit) => deposit.accountId === accountId && deposit.asset === asset)
}

interface Claimant {
  readonly claim: Claim
  readonly accountId: string
}

function answerOutcome(
  deps: ClaimDepositDeps,
  { claim, accountId }: Claimant,
  outcome: TransactionOutcome,
): Promise<ClaimAnswer> | ClaimAnswer | Promise<never> {
  switch (outcome.kind) {
    case 'unavailable':
      throw new ServiceError('chain_unavailable', `Chain ${claim.chainId} cannot be read at the moment.`, {
        retryAfterSeconds: outcome.retryAfterSeconds,
      })
    case 'unknown':
      throw transactionNotFound(claim)
    case 'unmined':
      return answerWithoutDeposit(deps, { claim, accountId }, 'unmined')
    case 'displaced':
      return answerWithoutDeposit(deps, { claim, accountId }, 'reorg')
    case 'reverted':
      throw new ServiceError('transaction_reverted', 'The transaction failed on the network; it moved nothing.')
    case 'not_yours':
      throw depositNotFound()
    case 'wallet_not_linked':
      throw new ServiceError('wallet_not_linked', 'No wallet that paid in this transaction is linked to your account.')
    case 'unsupported_token':
      throw new ServiceError('unsupported_token', 'The transaction paid your account in a token that is not taken.', {
        details: { tokens: outcome.tokens },
      })
    case 'deposits': {
      const deposits = outcome.deposits.filter(({ asset }) => asset === claim.asset)
      if (deposits.length === 0) throw assetMismatch(claim, outcome.deposits)
      const safe = outcome.finality === 'finalized' ? null : outcome.finality === 'safe'
      return answer(deps, claim, { accountId, deposits, etaSeconds: outcome.etaSeconds, safe }, { isFirst: true })
    }
  }
}

/** One text for what does not exist and for what belongs to another account. */
export function depositNotFound(): ServiceError {
  return new ServiceError('deposit_not_found', 'There is no such deposit to your account.')
}

function transactionNotFound({ chainId }: Claim): ServiceError {
  return new ServiceError('transaction_not_found', `Chain ${chainId} does not know this transaction.`, {
    retryAfterSeconds: UNKNOWN_SECONDS,
    details: { retryable: true },
  })
}

function assetMismatch({ asset }: Claim, deposits: readonly Deposit[]): ServiceError {
  const found = [...new Set(deposits.map((deposit) => deposit.asset))].toSorted()
  return new ServiceError(
    'asset_mismatch',
    `The transaction paid your account in ${found.join(' and ')}, not ${asset}.`,
    {
      param: 'asset',
      details: { found },
    },
  )
}

/** What is known of the transfers that a claim is about. */
interface Findings {
  readonly accountId: string
  /** Never empty. */
  readonly deposits: readonly Deposit[]
  /** Null where it was not asked for. */
  readonly etaSeconds: number | null
  /** Null where it does not matter. */
  readonly safe: boolean | null
}

async function answer(
  deps: ClaimDepositDeps,
  claim: Claim,
  findings: Findings,
  { isFirst = false }: { readonly isFirst?: boolean } = {},
): Promise<ClaimAnswer> {
  const { accountId, deposits } = findings
  // What an operator rejected is never owed; the rest decides.
  const owed = deposits.filter(({ state }) => state !== 'rejected')
  const open = owed.filter(({ state }) => state !== 'credited')
  const reason = reasonOf(open)
  if (reason === 'below_minimum') throw belowMinimum(deps)
  const isCredited = open.length === 0 && owed.length > 0
  const worth = sumOf(owed)
  const [first] = deposits
  const amount = (owed.length === 0 ? deposits : owed).reduce((sum, deposit) => sum + deposit.amount, 0n)
  const body: Printed<ClaimReply> = {
    object: 'deposit',
    id: first === undefined ? null : renderDepositId(first.depositId),
    status: isCredited ? 'credited' : open.length === 0 ? 'rejected' : 'pending',
    credited: isCredited,
    already_claimed: isCredited && !isFirst,
    reason,
    eta_seconds: reason === 'confirming' || reason === 'awaiting_outflow' ? findings.etaSeconds : null,
    safe: reason === 'confirming' ? findings.safe : null,
    txHash: claim.txHash,
    chainId: claim.chainId,
    asset: claim.asset,
    amount: formatAmount(amount, claim.asset),
    ...renderWorth(worth),
    ...renderPrice(first ?? { price: null, priceTime: null }),
    transfers: deposits.map((deposit) => ({
      id: renderDepositId(deposit.depositId),
      status: deposit.state,
      amount: formatAmount(deposit.amount, deposit.asset),
      credits: deposit.credits === null ? null : creditsJson(deposit.credits),
    })),
    balance: creditsJson(await deps.readPosted(accountId)),
  }
  return { body, retryAfterSeconds: retryAfter(reason, findings.etaSeconds) }
}

async function answerWithoutDeposit(
  deps: ClaimDepositDeps,
  { claim, accountId }: Claimant,
  reason: 'unmined' | 'reorg',
): Promise<ClaimAnswer> {
  const body: Printed<ClaimReply> = {
    object: 'deposit',
    id: null,
    status: 'pending',
    credited: false,
    already_claimed: false,
    reason,
    eta_seconds: null,
    safe: null,
    ...{ txHash: claim.txHash, chainId: claim.chainId, asset: claim.asset },
    ...{ amount: null, credits: null, amount_usd: null, price_usd: null, priced_at: null },
    transfers: [],
    balance: creditsJson(await deps.readPosted(accountId)),
  }
  return { body, retryAfterSeconds: retryAfter(reason, null) }
}

type ClaimReason = PendingReason | 'unmined'

/** Of several reasons the answer names the one that lasts longest. */
const BY_WEIGHT: readonly PendingReason[] = [
  'under_review',
  'awaiting_price',
  'awaiting_outflow',
  'reorg',
  'confirming',
  'below_minimum',
]

function reasonOf(open: readonly Deposit[]): PendingReason | null {
  if (open.length === 0) return null
  const reasons = open.map(({ reason }) => reason)
  return BY_WEIGHT.find((reason) => reasons.includes(reason)) ?? 'confirming'
}

/** Seconds until asking again makes sense, by what is waited for. */
const WAITS: Readonly<Record<ClaimReason, number>> = {
  unmined: 5,
  reorg: 30,
  confirming: 15,
  awaiting_price: 60,
  awaiting_outflow: 60,
  below_minimum: 60,
  under_review: 300,
}
const WAIT_MAX = 60

function retryAfter(reason: ClaimReason | null, etaSeconds: number | null): number | null {
  if (reason === null) return null
  if (reason !== 'confirming' || etaSeconds === null) return WAITS[reason]
  return Math.min(WAIT_MAX, Math.max(WAITS.unmined, etaSeconds))
}

/** Null as soon as one of them has no price yet. */
function sumOf(deposits: readonly Deposit[]): Nanocredits | null {
  let sum = 0n
  for (const { credits } of deposits) {
    if (credits === null) return null
    sum += credits
  }
  return nanocreditsOf(sum)
}

function belowMinimum({ minimumUsd }: ClaimDepositDeps): ServiceError {
  const message = `Deposits below ${minimumUsd} USD wait until they reach that together. This one is kept.`
  return new ServiceError('amount_below_minimum', message, { details: { minimum_usd: decimalJson(minimumUsd) } })
}
