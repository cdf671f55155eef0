import type { Nanocredits } from '@svc/contract'
import type { UsageFacts } from '../ledger/operations.ts'

/** What the request costs and became. The charge that is really taken can be lower: see `OpenHold.settle`. */
export interface Settlement {
  readonly charge: Nanocredits
  /** What was delivered costs us so much. What was billed beside it stands in the hold's bill. */
  readonly cost: Nanocredits
  readonly facts: Omit<UsageFacts, 'latencyMs'>
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
