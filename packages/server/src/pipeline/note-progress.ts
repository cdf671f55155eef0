import { nanocreditsOf } from '@svc/contract'
import type { OpenHold } from '../money/billing/open-hold.ts'
import type { HoldProgress } from '../money/ledger/operations.ts'
import type { Target } from './routing/target.ts'

/** A charge as far as it is known while an answer is under way. `cost` is in nanocredits. */
export type RunningCharge = Pick<
  HoldProgress,
  'charge' | 'promptTokens' | 'completionTokens' | 'pricing' | 'generationId' | 'verdict' | 'card'
> & {
  readonly cost: bigint
}

/** Says what a request would be charged if this process died now, for the journal of open holds. */
export function noteProgress(hold: OpenHold, { upstream, upstreamModel }: Target, running: () => RunningCharge): void {
  const { most } = hold.request
  const agreed = most === null ? {} : { most }
  hold.progress = () => {
    const { cost, ...charge } = running()
    const served = { upstream: upstream.name, upstreamModel }
    return { ...charge, ...agreed, ...served, holdId: hold.id, cost: nanocreditsOf(cost) }
  }
}
