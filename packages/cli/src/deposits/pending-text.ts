import type { ClaimReply } from '@svc/contract'

type Reason = NonNullable<ClaimReply['reason']>

const TEXTS: Readonly<Record<Reason, string>> = {
  unmined: 'Waiting for the transaction to get into a block',
  reorg: 'The chain has changed its mind about the block; waiting for the next one',
  confirming: 'Seen; waiting for its block to be final',
  awaiting_price: 'Final; waiting for the price of its block',
  below_minimum: 'Below the minimum: it is kept, and credited once deposits reach the minimum together',
  awaiting_outflow: 'Waiting for an earlier movement of the address to be understood',
  under_review: 'An operator looks at it',
}

/** Why a deposit is not credited yet, and about how long it takes. */
export function pendingText(reason: Reason | null, etaSeconds: number | null): string {
  const text = reason === null ? 'Waiting' : TEXTS[reason]
  if (etaSeconds === null) return `${text}.`
  const about = etaSeconds < 90 ? `${etaSeconds} s` : `${Math.round(etaSeconds / 60)} min`
  return `${text}; about ${about}.`
}
