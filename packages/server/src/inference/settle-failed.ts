/** The end of a request that failed before its caller had anything: free, whatever the upstream asks for it. */
import type { OpenHold } from '../billing/open-hold.ts'
import { codeOf } from '../errors/code-of.ts'
import type { AttoUsd } from '../pricing/price.ts'
import type { Target } from '../routing/target.ts'
import { UpstreamFailure } from '../upstream/upstream-failure.ts'
import { freeSettlement } from './chat-charge.ts'
import { type LateCostDeps, withLateCost } from './late-cost.ts'

/** What the upstream bills for what it did not deliver; null where it does not say. */
async function lostCost(deps: LateCostDeps, { upstream }: Target, failure: UpstreamFailure): Promise<AttoUsd | null> {
  const { cost, generationId } = failure
  // An answer that broke off may be billed all the same: its cost is looked up as that of a stream is.
  return (await withLateCost(deps, upstream, { usage: null, wire: null, cost, generationId })).cost
}

/**
 * Frees a request that has failed, and books what the upstream bills for it as our loss. Where it is settled already
 * there is nothing to do, and nobody to ask what it costs. Never rejects.
 */
export async function settleFailed(
  deps: LateCostDeps,
  { hold, target }: { readonly hold: OpenHold; readonly target: Target },
  error: unknown,
): Promise<void> {
  if (hold.isSettled) return
  const { upstream, upstreamModel } = target
  if (error instanceof UpstreamFailure) {
    const cost = await lostCost(deps, target, error)
    const served = { upstream: upstream.name, model: target, generationId: error.generationId }
    if (cost !== null) await hold.settle(freeSettlement(cost, served, error.code)).catch(() => undefined)
  }
  await hold.abandon(codeOf(error), { upstream: upstream.name, upstreamModel })
}
