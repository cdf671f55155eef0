/** The end of a request for pictures: what came is priced and settled, or the request is free. */
import type { Nanocredits } from '@svc/contract'
import { codeOf } from '../errors/code-of.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { AttoUsd } from '../pricing/price.ts'
import type { UpstreamImages } from '../upstream/image-upstream.ts'
import { UpstreamFailure, upstreamFailure } from '../upstream/upstream-failure.ts'
import type { ImageCall } from './image-call.ts'
import { chargeImages, emptySettlement, type ImageCharge, imageSettlement } from './image-charge.ts'
import { withLateCost } from './late-cost.ts'
import type { MadeRenders } from './make-renders.ts'
import type { ImageDeps, PreparedImages } from './prepare-images.ts'

/** Pictures that came and what they cost, before the settlement. */
export interface PricedImages {
  readonly answers: readonly UpstreamImages[]
  readonly decided: ImageCharge
}

/**
 * Prices what came. Where nothing did, the hold is settled as free.
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
    const failure = made.failures[0] ?? upstreamFailure('empty', { upstream: prepared.target.upstream.name })
    const costs = [...made.answers.map(({ cost }) => cost), ...made.failures.map(costOf)]
    if (costs.some((cost) => cost !== null) || made.answers.length > 0) {
      await prepared.hold.settle(emptySettlement(prepared, made.answers, costs, codeOf(failure)))
    }
    throw failure
  }
  const answers = await Promise.all(came.map((answer) => completeCost(deps, prepared, answer)))
  return { answers, decided: chargeImages(prepared, call, answers) }
}

function costOf(failure: Error): AttoUsd | null {
  return failure instanceof UpstreamFailure ? failure.cost : null
}

async function completeCost(
  deps: ImageDeps,
  { target }: PreparedImages,
  answer: UpstreamImages,
): Promise<UpstreamImages> {
  if (answer.cost !== null) return answer
  const { generationId } = answer
  const late = await withLateCost(deps, target.upstream, { usage: null, cost: null, wire: null, generationId })
  return { ...answer, cost: late.cost }
}

/** Ends the hold with the charge; answers what was really charged once that is durable. */
export function settleImages(prepared: PreparedImages, { answers, decided }: PricedImages): Promise<Nanocredits> {
  return prepared.hold.settle(imageSettlement(prepared, decided, answers))
}

/**
 * Makes a request free that failed, and tells the caller why. A time-out is not to be tried again by itself: the
 * upstream may have made the pictures, and would make them twice.
 */
export async function abandonImages({ hold, target }: PreparedImages, error: unknown): Promise<unknown> {
  await hold.abandon(codeOf(error), { upstream: target.upstream.name, upstreamModel: target.upstreamModel })
  if (!(error instanceof ServiceError) || error.code !== 'upstream_timeout') return error
  return new ServiceError(error.code, error.message, { internal: error.internal, cause: error, shouldRetry: false })
}
