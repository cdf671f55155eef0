import type { ClaimReply, Exact } from '@svc/contract'
import type { Deposit } from '../../api/funding.ts'

type Reason = NonNullable<Exact<ClaimReply>['reason']>

const SENTENCES: Readonly<Record<Exclude<Reason, 'confirming'>, string>> = {
  unmined: 'The network has not put the transaction into a block yet.',
  reorg: 'Its block has left the chain. It usually comes back in another one; you need not do anything.',
  awaiting_price:
    'The price of its asset at that time is not known yet. It is looked up every minute; after a day the operator ' +
    'decides.',
  below_minimum: 'It is less than the minimum. It is kept, and credited once your deposits reach the minimum together.',
  awaiting_outflow: 'Coins are being moved from this address. It is credited once that is final.',
  under_review: 'The operator looks at this deposit before it is credited. You need not do anything.',
}

const MINUTE_SECONDS = 60

/** About how long, as people say it. */
export function durationText(seconds: number): string {
  if (seconds < MINUTE_SECONDS) return `${Math.max(5, Math.ceil(seconds / 5) * 5)} seconds`
  const minutes = Math.round(seconds / MINUTE_SECONDS)
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}

/** Why a deposit is not in the balance yet, in a sentence; what happened where it is. */
export function whyItWaits({
  status,
  reason,
  eta_seconds: eta,
}: {
  readonly status: Deposit['status'] | 'pending'
  readonly reason: Reason | null
  readonly eta_seconds: number | null
}): string {
  if (status === 'credited') return 'Its credits are in the balance.'
  if (status === 'rejected') return 'The operator decided against it; ask them why. It will not be credited.'
  if (status === 'reversed') return SENTENCES.reorg
  if (reason !== null && reason !== 'confirming') return SENTENCES[reason]
  const when = eta === null ? '' : `, in about ${durationText(eta)}`
  return `Its block could still leave the chain. It is credited once the block is final${when}.`
}
