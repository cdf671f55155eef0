import { ASSET_DECIMALS } from '../chain/assets.ts'
import { valueOfDeposit } from '@svc/contract/deposit-value'
import type { Clock } from '../platform/runtime/clock.ts'
import { createId } from '../platform/runtime/ids.ts'
import type { Decision, DecidedDeposit, DecisionStore } from './decision-store.ts'
import type { DepositStore } from './deposit-store.ts'
import type { Deposit, DepositState } from './deposit.ts'

export interface DecideDepositDeps {
  readonly deposits: Pick<DepositStore, 'find'>
  readonly decisions: Pick<DecisionStore, 'decide'>
  readonly clock: Clock
  /** The operator's name on this machine. */
  readonly operator: string
}

export interface DepositVerdictRequest {
  readonly depositId: string
  readonly decision: 'release' | 'reject'
  /** In words; kept for good. */
  readonly reason: string
  /** USD per unit as decimal text, for a deposit that has no price; null for the price that was found. */
  readonly price: string | null
}

export type DecideDepositResult =
  | { readonly kind: 'decided'; readonly deposit: Deposit }
  /** It was decided so before; nothing has changed. */
  | { readonly kind: 'repeated'; readonly deposit: Deposit }
  | { readonly kind: 'unknown_deposit' }
  /** Its credits are in the balance: only a correction can take them. */
  | { readonly kind: 'credited' }
  /** It is in a block that may still leave the chain, or its block has left. */
  | { readonly kind: 'not_final'; readonly state: DepositState }
  /** It has no price, and none was named; or the named one gives no sensible worth. */
  | { readonly kind: 'needs_price' }
  /** Another process changed it in the same moment. */
  | { readonly kind: 'changed_meanwhile' }

/** What an operator may let pass: what waits for something, or was decided against. */
const RELEASABLE: readonly DepositState[] = ['under_review', 'rejected', 'confirming']
const REJECTABLE: readonly DepositState[] = ['under_review', 'confirming', 'seen', 'reversed']

/**
 * Lets a deposit pass, or decides against it. The gateway credits a released one as soon as it has looked at the chain
 * once more; the checks of final block and inflow still apply, those of size, sender and price are the operator's.
 */
export async function decideDeposit(
  deps: DecideDepositDeps,
  request: DepositVerdictRequest,
): Promise<DecideDepositResult> {
  const deposit = await deps.deposits.find(request.depositId)
  if (deposit === null) return { kind: 'unknown_deposit' }
  if (deposit.state === 'credited') return { kind: 'credited' }
  if (isDecided(deposit, request)) return { kind: 'repeated', deposit }
  const from = request.decision === 'release' ? RELEASABLE : REJECTABLE
  if (!from.includes(deposit.state)) return { kind: 'not_final', state: deposit.state }
  const now = deps.clock.now()
  const decided = outcomeOf(deposit, request, now)
  if (decided === null) return { kind: 'needs_price' }
  const decision: Decision = { decisionId: createId(now), ...request, decidedBy: deps.operator, decidedAt: now }
  // The state that was read, and no other: of two operators at once one decides, and the other looks again.
  if (!(await deps.decisions.decide(deposit, [deposit.state], decision, decided))) return { kind: 'changed_meanwhile' }
  return { kind: 'decided', deposit: (await deps.deposits.find(deposit.depositId)) ?? deposit }
}

function isDecided({ state, releasedAt }: Deposit, { decision }: DepositVerdictRequest): boolean {
  if (decision === 'reject') return state === 'rejected'
  return state === 'confirming' && releasedAt !== null
}

/** Null where a deposit that is to pass is worth nothing that can be said. */
function outcomeOf(deposit: Deposit, { decision, price }: DepositVerdictRequest, now: number): DecidedDeposit | null {
  if (decision === 'reject') return { state: 'rejected', releasedAt: null }
  const released = { state: 'confirming', releasedAt: now } as const
  if (price === null) return deposit.credits === null || deposit.credits === 0n ? null : released
  const credits = valueOfDeposit(deposit.amount, ASSET_DECIMALS[deposit.asset], price)
  return credits === null || credits === 0n ? null : { ...released, worth: { credits, price } }
}

export type { Decision, DecisionStore } from './decision-store.ts'
export type { DepositStore } from './deposit-store.ts'
