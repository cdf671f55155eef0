import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import { withAgreedMaximum } from '../../pricing/agreed-maximum.ts'
import type { PlacedHold, SettleHold, UsageFacts } from '../ledger/operations.ts'

/** What the request costs and became. The charge that is really taken can be lower: see `OpenHold.settle`. */
export interface Settlement {
  readonly charge: Nanocredits
  /** What the delivered part costs us. What upstreams billed besides is in the hold's bill. */
  readonly cost: Nanocredits
  readonly facts: Omit<UsageFacts, 'latencyMs'>
}

/** What a settlement needs to know about its hold. */
export interface EndingHold {
  readonly id: string
  readonly placed: PlacedHold
  /** Milliseconds since it was asked for. */
  readonly ageMs: number
  /** What upstreams have billed beside what was delivered: it is written off. */
  readonly lost: Nanocredits
  /** The most that the caller has agreed to pay; null where nothing was agreed. */
  readonly most: Nanocredits | null
}

/** What the ledger is asked to end a hold with, of a request or of a job. A failure that is free releases it. */
export function settleOperation(hold: EndingHold, { charge, cost, facts }: Settlement, now: number): SettleHold {
  const { id, placed, ageMs, lost, most } = hold
  const latencyMs = Math.round(ageMs)
  return {
    kind: 'settle',
    holdId: id,
    end: charge > 0n || facts.status !== 'error' ? 'captured' : 'released',
    charge,
    cost: nanocreditsOf(cost + lost),
    lost,
    ...(most === null ? {} : { most }),
    facts: { ...facts, latencyMs, pricing: most === null ? facts.pricing : withAgreedMaximum(facts.pricing, most) },
    placed,
    now,
  }
}

/** What of a settlement its caller pays, where the account can: what they agreed to, at most. */
export function dueOf({ charge, most = charge }: Pick<SettleHold, 'charge' | 'most'>): Nanocredits {
  return charge < most ? charge : most
}

/** What a request was charged, once that is durable. */
export interface Charged {
  readonly charge: Nanocredits
  /** Whether the books lack it yet: it is in the journal of settlements, and the books will show the same. */
  readonly isPending: boolean
}

/** A charge as the books have it. */
export function chargedAs(charge: Nanocredits): Charged {
  return { charge, isPending: false }
}

/** Whether two charges look the same to their caller. */
export function isSame(one: Charged, other: Charged): boolean {
  return one.charge === other.charge && one.isPending === other.isPending
}

/** Facts of a request of which nothing is known. */
export const NO_FACTS: Omit<UsageFacts, 'latencyMs'> = {
  upstream: null,
  upstreamModel: null,
  status: 'ok',
  errorCode: null,
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
  basis: null,
  estimated: false,
  pricing: null,
  generationId: null,
}
