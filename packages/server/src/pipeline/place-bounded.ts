/** Holds what a request can come to cost, by the cheapest bound that does. */
import { type OpenHold, openHold } from '../money/billing/open-hold.ts'
import { SMALL_LIMIT_UNITS } from '../money/billing/small-limit.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { Target } from './routing/target.ts'
import type { Bound, FoundModel, PaidDeps, PaidTask, PaidWork } from './paid-work.ts'

type BoundedWork<To extends Target> = Pick<
  PaidWork<To, never, never, never>,
  'type' | 'model' | 'stream' | 'sendsBeforeSettlement' | 'bound' | 'sharperBound'
>

/**
 * Places the hold. The first bound needs no count; only where it does not fit what is available, or leaves little of it
 * for the answer, the request is counted and a sharper bound used. Source: decision 0005 (size of a hold).
 *
 * @throws {ServiceError} as `openHold`, 402 by the first bound where there is no sharper one.
 */
export async function placeBounded<To extends Target>(
  deps: PaidDeps,
  task: PaidTask<unknown>,
  work: BoundedWork<To>,
  found: FoundModel<To>,
): Promise<OpenHold> {
  const bound = await work.bound(found)
  let hold: OpenHold
  try {
    hold = await place(deps, task, work, bound)
  } catch (error) {
    const sharper = error instanceof ServiceError && error.status === 402 ? await work.sharperBound?.(found) : null
    if (sharper == null) throw error
    return place(deps, task, work, sharper)
  }
  if (hold.limitUnits !== null && hold.limitUnits < SMALL_LIMIT_UNITS) {
    const sharper = await work.sharperBound?.(found)
    if (sharper != null) hold.sharpen(sharper.fixed)
  }
  return hold
}

function place<To extends Target>(
  deps: PaidDeps,
  { caller, requestId, terms }: PaidTask<unknown>,
  { type, model, stream, sendsBeforeSettlement }: BoundedWork<To>,
  { fixed, perUnit, units, policy, firstUnits }: Bound,
): Promise<OpenHold> {
  const flush = sendsBeforeSettlement ? 'at_once' : 'with_end'
  const most = terms?.most ?? null
  const bound = { fixed, perUnit, units, policy, firstUnits, most }
  return openHold(deps, { requestId, caller, type, model, stream, flush, ...bound })
}
