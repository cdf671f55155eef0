/** The end of a request that failed before its caller had anything: free, whatever upstreams ask for it. */
import type { OpenHold } from '../money/billing/open-hold.ts'
import { codeOf } from '../platform/errors/code-of.ts'
import type { Target } from './routing/target.ts'
import { type LateCostDeps, lookUpCost } from './late-cost.ts'

/**
 * Asks upstreams for costs that the request's bill lacks: an answer that broke off may be billed all the same. Never
 * rejects.
 */
export async function completeBill(deps: LateCostDeps, { bill }: Pick<OpenHold, 'bill'>): Promise<void> {
  await Promise.all(
    bill.unknown.map(async (unknown) => {
      const cost = await lookUpCost(deps, unknown.upstream, unknown.generationId)
      if (cost !== null) bill.learn(unknown, cost)
    }),
  )
}

interface FailedRequest {
  readonly hold: OpenHold
  readonly target: Target
  /** The upstream's own id of the answer, where the bill does not tell. */
  readonly generationId?: string | null
}

/**
 * Frees a request that has failed, and books what upstreams bill for it as our loss. Where it is settled already there
 * is nothing to do, and nobody to ask what it costs. Never rejects.
 */
export async function settleFailed(
  deps: LateCostDeps,
  { hold, target, generationId = null }: FailedRequest,
  error: unknown,
): Promise<void> {
  if (hold.isSettled) return
  const { upstream, upstreamModel } = target
  hold.bill.withdraw()
  await completeBill(deps, hold)
  const served = { upstream: upstream.name, upstreamModel, generationId: generationId ?? hold.bill.generationId }
  await hold.abandon(codeOf(error), served)
}
