/** The end of a request for pictures: what came is priced and settled, or the request is free. */
import type { Nanocredits } from '@svc/contract'
import { ServiceError } from '../errors/service-error.ts'
import { attoUsdOf } from '../pricing/usd.ts'
import type { UpstreamImages } from '../upstream/image-upstream.ts'
import { upstreamFailure } from '../upstream/upstream-failure.ts'
import type { ImageCall } from './image-call.ts'
import { chargeImages, type ImageCharge, imageSettlement, shareOfCost } from './image-charge.ts'
import { lookUpCost } from './late-cost.ts'
import type { MadeRenders } from './make-renders.ts'
import type { ImageDeps, PreparedImages } from './prepare-images.ts'
import { completeBill, settleFailed } from './settle-failed.ts'

/** Pictures that came and what they cost, before the settlement. */
export interface PricedImages {
  /** With the costs that were learnt late. */
  readonly answers: readonly UpstreamImages[]
  /** The same as they came. */
  readonly came: readonly UpstreamImages[]
  readonly decided: ImageCharge
}

/**
 * Prices what came.
 *
 * @throws {ServiceError} why there is no picture.
 */
export async function priceImages(
  deps: ImageDeps,
  prepared: PreparedImages,
  call: ImageCall,
  made: MadeRenders,
): Promise<PricedImages> {
  const came = made.answers.filter(({ renders }) => renders.length > 0)
  if (came.length === 0) {
    throw made.failures[0] ?? upstreamFailure('empty', { upstream: prepared.target.upstream.name })
  }
  const answers = await Promise.all(came.map((answer) => completeCost(deps, prepared, answer)))
  return { answers, came, decided: chargeImages(prepared, call, answers) }
}

async function completeCost(
  deps: ImageDeps,
  { target }: PreparedImages,
  answer: UpstreamImages,
): Promise<UpstreamImages> {
  const { cost, generationId } = answer
  if (cost !== null || generationId === null) return answer
  return { ...answer, cost: await lookUpCost(deps, target.upstream, generationId) }
}

/**
 * Ends the hold with the charge; answers what was really charged once that is durable. What calls cost beyond the
 * pictures that came is our loss.
 */
export async function settleImages(
  deps: ImageDeps,
  prepared: PreparedImages,
  { answers, came, decided }: PricedImages,
): Promise<Nanocredits> {
  const { hold, target } = prepared
  for (const [place, answer] of answers.entries()) {
    const { cost, generationId } = answer
    const first = came[place] as UpstreamImages
    hold.bill.deliver(first, shareOfCost(first))
    const beside = first.cost === null && cost !== null ? cost - (shareOfCost(answer) ?? 0n) : 0n
    if (beside > 0n) hold.bill.note({ cost: attoUsdOf(beside), generationId }, target.upstream)
  }
  await completeBill(deps, hold)
  return hold.settle(imageSettlement(prepared, decided, answers))
}

/**
 * Makes a request free that failed, and tells the caller why. A time-out is not to be tried again by itself: the
 * upstream may have made the pictures, and would make them twice.
 */
export async function abandonImages(deps: ImageDeps, prepared: PreparedImages, error: unknown): Promise<unknown> {
  await settleFailed(deps, prepared, error)
  if (!(error instanceof ServiceError) || error.code !== 'upstream_timeout') return error
  return new ServiceError(error.code, error.message, { internal: error.internal, cause: error, shouldRetry: false })
}
