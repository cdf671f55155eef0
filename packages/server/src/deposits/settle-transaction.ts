import type { ChainId, Hex } from '../chain/assets.ts'
import type { ChainHead, ChainTransfer, Finality, TransactionFacts } from '../chain/chain-facts.ts'
import type { ChainReader, ChainView } from '../chain/chain-reader.ts'
import { ChainUnavailableError } from '../chain/chain-unavailable.ts'
import { matchTransfers, type OwnedTransfer, type Recipients } from '../chain/match-transfers.ts'
import { createId } from '../platform/runtime/ids.ts'
import { OPEN_STATES, type Deposit } from './deposit.ts'
import { findPrices, finishDeposits, valueChange, type SettleScene } from './finish-deposits.ts'
import { recordPayments } from './record-payments.ts'
import type { SettleDeps } from './settle-deps.ts'

/** What became of looking at a transaction now. */
export type TransactionOutcome =
  /** The chain cannot be asked, or cannot be believed, now. Nothing is lost: the same may be asked again. */
  | { readonly kind: 'unavailable'; readonly retryAfterSeconds: number }
  /** No node knows the transaction. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unmined' }
  /** Its block left the chain; what was recorded of it is reversed. */
  | { readonly kind: 'displaced' }
  | { readonly kind: 'reverted' }
  /** It paid nothing to this account. */
  | { readonly kind: 'not_yours' }
  /** It paid the treasury from a wallet that is not linked to this account; only where wallets are linked. */
  | { readonly kind: 'wallet_not_linked' }
  /** It moved tokens to this account that are not taken. */
  | { readonly kind: 'unsupported_token'; readonly tokens: readonly Hex[] }
  | {
      readonly kind: 'deposits'
      /** All transfers of it to this account, of every asset, in their state after this look. */
      readonly deposits: readonly Deposit[]
      readonly finality: Finality
      /** Seconds until its block is final, as far as can be said; 0 once it is. */
      readonly etaSeconds: number
    }

/** Which transaction, and for whom: null takes every account that it pays. */
export interface TransactionQuestion {
  readonly chainId: ChainId
  readonly txHash: Hex
  readonly accountId: string | null
}

/** `settleTransaction` with its parts, as claims and the watcher are given it. */
export type SettleTransaction = (question: TransactionQuestion) => Promise<TransactionOutcome>

/**
 * Looks at one transaction now: records what it pays, follows its block, and credits what is final and sound. Claims
 * and the watcher both go through here, from any number of processes, as often as they like.
 *
 * @throws {ServiceError} `server_is_overloaded` when the ledger cannot be reached; the next look goes on from there.
 */
export async function settleTransaction(deps: SettleDeps, question: TransactionQuestion): Promise<TransactionOutcome> {
  const reader = deps.chains.get(question.chainId)
  if (reader === undefined) return { kind: 'unavailable', retryAfterSeconds: 60 }
  try {
    return await reader.ask((view) => settleBy(deps, { reader, view }, question))
  } catch (error) {
    if (!(error instanceof ChainUnavailableError)) throw error
    return { kind: 'unavailable', retryAfterSeconds: error.retryAfterSeconds }
  }
}

async function settleBy(
  deps: SettleDeps,
  { reader, view }: { readonly reader: ChainReader; readonly view: ChainView },
  question: TransactionQuestion,
): Promise<TransactionOutcome> {
  const head = await view.readHead()
  // A claimer waits for this transaction alone; of the watcher's, none may keep the others waiting.
  const wish = question.accountId === null ? 'unless_resting' : 'always'
  const facts = await view.readTransaction(question.txHash, head, wish)
  if (facts.kind !== 'mined') {
    await reverse(deps, question, { transfers: [], isTraced: true })
    return { kind: facts.kind }
  }
  const recipients = await findRecipients(deps, question.chainId, facts)
  const match = matchTransfers(facts, recipients, question.accountId)
  const shown = { transfers: match.kind === 'paid' ? match.transfers : [], isTraced: facts.isTraced }
  await reverse(deps, question, shown)
  if (match.kind === 'nothing') return { kind: 'not_yours' }
  if (match.kind !== 'paid') return match
  const { transfers } = match
  const { chainId, txHash } = question
  const seen = transfers.map(({ from, to, ...transfer }) => ({
    depositId: createId(deps.clock.now()),
    ...{ accountId: transfer.accountId, chainId, txHash, ordinal: transfer.ordinal, asset: transfer.asset },
    ...{ address: to, sender: from, amount: transfer.amount },
    ...{ blockNumber: facts.block.number, blockHash: facts.block.hash, blockTime: facts.block.time },
  }))
  await recordPayments(deps, seen, (address) => recipients.owners.has(address))
  const scene: SettleScene = { reader, view, head, txHash, block: facts.block }
  await advance(deps, scene, facts.finality, { question, transfers })
  const paid = (await deps.deposits.listPaid(chainId, txHash)).filter(isAskedBy(question))
  const deposits = paid.filter(({ state }) => state !== 'reversed')
  return { kind: 'deposits', deposits, finality: facts.finality, etaSeconds: etaOf(head, facts) }
}

/**
 * Deposits of the transaction that the chain does not show any more are taken back, unless they were decided. What came
 * by an inner call is missed only by a provider that traces.
 */
async function reverse(
  deps: SettleDeps,
  question: TransactionQuestion,
  { transfers, isTraced }: { readonly transfers: readonly OwnedTransfer[]; readonly isTraced: boolean },
): Promise<void> {
  for (const deposit of await listFor(deps, question)) {
    const { ordinal } = deposit
    const isShown = transfers.some((transfer) => transfer.ordinal === ordinal)
    const isUnseen = ordinal.startsWith('balance:') || (ordinal.startsWith('trace:') && !isTraced)
    if (isShown || isUnseen) continue
    const change = { state: 'reversed', reason: 'reorg' } as const
    await deps.deposits.change(deposit, [...OPEN_STATES, 'reversed'], change, deps.clock.now())
  }
}

async function listFor(deps: SettleDeps, question: TransactionQuestion) {
  const found = await deps.deposits.listByTransaction(question.chainId, question.txHash)
  return found.filter(isAskedBy(question))
}

function isAskedBy({ accountId }: TransactionQuestion): (deposit: Deposit) => boolean {
  return (deposit) => accountId === null || deposit.accountId === accountId
}

async function findRecipients(
  deps: SettleDeps,
  chainId: ChainId,
  facts: Extract<TransactionFacts, { kind: 'mined' }>,
): Promise<Recipients> {
  const treasury = deps.policy.treasuries?.get(chainId)
  if (treasury === undefined) {
    const receivers = new Set([...facts.transfers, ...facts.foreign].map(({ to }) => to))
    return { owners: await deps.addresses.findOwners(chainId, [...receivers]), treasury: null }
  }
  const senders = new Set(facts.transfers.filter(({ to }) => to === treasury).map(({ from }) => from))
  const wallets = await deps.wallets.findOwners(chainId, [...senders])
  return { owners: new Map(), treasury: { address: treasury, wallets } }
}

/** Brings each account's deposits of the transaction as far as its block allows. */
async function advance(
  deps: SettleDeps,
  scene: SettleScene,
  finality: Finality,
  { question, transfers }: { readonly question: TransactionQuestion; readonly transfers: readonly OwnedTransfer[] },
): Promise<void> {
  const told = new Set(transfers.map(({ ordinal }) => ordinal))
  const open = (await listFor(deps, question)).filter(
    ({ state, blockHash, ordinal }) =>
      (state === 'seen' || state === 'confirming') && blockHash === scene.block.hash && told.has(ordinal),
  )
  if (finality !== 'finalized') return preview(deps, scene, finality, open)
  for (const accountId of new Set(open.map((deposit) => deposit.accountId))) {
    const own = open.filter((deposit) => deposit.accountId === accountId)
    const theirs: readonly ChainTransfer[] = transfers.filter((transfer) => transfer.accountId === accountId)
    await finishDeposits(deps, scene, own, theirs)
  }
}

/** Says what a deposit will be worth before its block is final. */
async function preview(
  deps: SettleDeps,
  scene: SettleScene,
  finality: Finality,
  open: readonly Deposit[],
): Promise<void> {
  const prices = await findPrices(
    scene,
    open.filter(({ credits }) => credits === null),
  )
  for (const deposit of open) {
    const found = prices.get(deposit.asset)
    const value = found === undefined ? {} : valueChange(deposit, found)
    const state = finality === 'safe' ? 'confirming' : deposit.state === 'confirming' ? 'confirming' : 'seen'
    await deps.deposits.change(deposit, OPEN_STATES, { ...value, state, reason: 'confirming' }, deps.clock.now())
  }
}

function etaOf({ latest, finalized }: ChainHead, facts: Extract<TransactionFacts, { kind: 'mined' }>): number {
  if (facts.finality === 'finalized') return 0
  const lagMs = latest.time - finalized.time
  return Math.max(1, Math.ceil((facts.block.time + lagMs - latest.time) / 1_000))
}
