import type { Nanocredits } from '@svc/contract'
import type { UsageFacts } from '../ledger/operations.ts'

/** What the request costs and became. The charge that is really taken can be lower: see `OpenHold.settle`. */
export interface Settlement {
  readonly charge: Nanocredits
  /** What was delivered costs us so much. What was billed beside it stands in the hold's bill. */
  readonly cost: Nanocredits
  readonly facts: Omit<UsageFacts, 'latencyMs'>
}

/** What a request was charged, once that is durable. */
export interface Charged {
  readonly charge: Nanocredits
  /** Whether the books lack it yet: it stands in the journal of settlements, and is what they will say. */
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
