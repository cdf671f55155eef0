/** From a charge for media to the settlement of its hold. */
import { NO_FACTS, type Settlement } from '../billing/settlement.ts'
import type { ChatCharge } from '../pricing/price.ts'
import type { ErrorCode } from '@svc/contract'
import type { ServedBy } from './chat-charge.ts'

/** How a request for media ended that is charged. */
export interface MediaEnd {
  readonly status: 'ok' | 'cancelled'
  /** Null when nothing failed. */
  readonly errorCode: ErrorCode | null
  /** Whether quantities were reckoned. */
  readonly estimated: boolean
}

/** Makes the settlement of a request for media that is charged. */
export function mediaSettlement(charge: ChatCharge, served: ServedBy, end: MediaEnd): Settlement {
  return {
    charge: charge.charge,
    cost: charge.cost,
    facts: {
      ...NO_FACTS,
      upstream: served.upstream,
      upstreamModel: served.model.upstreamModel,
      generationId: served.generationId,
      status: end.status,
      errorCode: end.errorCode,
      basis: charge.basis,
      estimated: end.estimated,
      pricing: charge.pricing,
    },
  }
}
