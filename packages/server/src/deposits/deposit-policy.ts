import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { Asset, ChainId, Hex } from '../chain/assets.ts'
import type { DepositsConfig } from '../config/deposits-config.ts'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import type { PriceOpinion } from './judge-price.ts'
import { creditsOfUsd } from '@svc/contract/deposit-value'

/** What decides whether a deposit that is real is credited without an operator. Source: decision 0028. */
export interface DepositPolicy {
  /** What comes to less waits until more has come. */
  readonly minimum: Nanocredits
  /** What is worth more waits for an operator. */
  readonly autoLimit: Nanocredits
  /** What is worth more is not credited on the word of one provider. */
  readonly secondOpinionFrom: Nanocredits
  /** What is worth more is not credited by a price that only one source gives. */
  readonly secondPriceFrom: Nanocredits
  readonly blockedSenders: ReadonlySet<Hex>
  /** Where all pay to one address: it, by chain. Null where every account has addresses of its own. */
  readonly treasuries: ReadonlyMap<ChainId, Hex> | null
}

/** A deposit without a usable price for so long waits for an operator, in milliseconds. Source: decision 0028. */
export const PRICE_WAIT_MAX_MS = 86_400_000

/**
 * What one wrong answer can have caused must be answered for so long before an operator is asked, in milliseconds.
 * Source: decision 0068.
 */
export const DOUBT_MIN_MS = 300_000

/** Reads the policy out of the configuration. */
export function policyFrom(config: DepositsConfig): DepositPolicy {
  const treasuries = config.chains.flatMap(({ chainId, treasury }) =>
    treasury === null ? [] : [[chainId, treasury as Hex] as const],
  )
  return {
    minimum: creditsFrom(config.minimumUsd),
    autoLimit: creditsFrom(config.autoLimitUsd),
    secondOpinionFrom: creditsFrom(config.secondOpinionUsd),
    secondPriceFrom: creditsFrom(config.secondPriceUsd),
    blockedSenders: new Set(config.blockedSenders as readonly Hex[]),
    treasuries: config.mode === 'treasury' ? new Map(treasuries) : null,
  }
}

function creditsFrom(usd: string): Nanocredits {
  const credits = creditsOfUsd(usd)
  // The configuration has been read by a schema that allows fewer digits than a credit has.
  if (credits === null) throw new InvariantError(`${usd} is no amount of USD`)
  return credits
}

/** Facts about one deposit that is final and priced, for the decision. */
export interface DepositFacts {
  readonly asset: Asset
  readonly sender: Hex | null
  readonly isReleased: boolean
  /** What a second provider says; `alone` where there is none. */
  readonly opinion: 'agrees' | 'differs' | 'later' | 'alone'
  /** What speaks for its price; `agrees` where no second source was needed. */
  readonly price: PriceOpinion
}

export type DepositVerdict =
  | { readonly kind: 'sound' }
  /** Nothing is wrong, but it is too early to say. */
  | { readonly kind: 'wait'; readonly reason: 'confirming' | 'awaiting_price' }
  /** The answers do not fit together: one wrong answer may have done that, so it is looked at again. */
  | { readonly kind: 'doubt'; readonly note: string }
  | { readonly kind: 'review'; readonly note: string }

/**
 * Decides whether a final deposit is credited, waits, or is left to an operator. Pure.
 *
 * @param credits what the transaction pays to the account in all: a payment in many parts is one payment.
 */
export function judgeDeposit(policy: DepositPolicy, facts: DepositFacts, credits: bigint): DepositVerdict {
  if (facts.isReleased) return { kind: 'sound' }
  if (facts.opinion === 'differs') return { kind: 'doubt', note: 'Two providers tell different things of it.' }
  // How much it is may be one provider's mistake, too.
  if (credits > policy.secondOpinionFrom && facts.opinion === 'later') return { kind: 'wait', reason: 'confirming' }
  if (facts.price === 'differs') return { kind: 'doubt', note: 'Two sources tell prices that are too far apart.' }
  if (facts.price === 'leaps') {
    return { kind: 'doubt', note: 'Its price is far from those before it, and no second source confirms it.' }
  }
  if (credits > policy.autoLimit) return { kind: 'review', note: 'It is worth more than the limit for credits alone.' }
  if (facts.sender !== null && policy.blockedSenders.has(facts.sender)) {
    return { kind: 'review', note: 'Its sender is on the list of blocked senders.' }
  }
  if (credits > policy.secondOpinionFrom && facts.opinion === 'alone') {
    return { kind: 'review', note: 'Only one provider can tell of it.' }
  }
  if (credits > policy.secondPriceFrom && facts.price === 'late') return { kind: 'wait', reason: 'awaiting_price' }
  if (credits > policy.secondPriceFrom && facts.price === 'alone') {
    return { kind: 'review', note: 'Only one source tells its price.' }
  }
  return { kind: 'sound' }
}

/** What all of it is worth. */
export function sumOfCredits(deposits: readonly { readonly credits: bigint | null }[]): Nanocredits {
  return nanocreditsOf(deposits.reduce((sum, { credits }) => sum + (credits ?? 0n), 0n))
}
