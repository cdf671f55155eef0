/** What every request for pictures needs before an upstream is asked: its model, its price and its hold. */
import { INPUT_IMAGE_TOKENS, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { type BillingDeps, type OpenHold, placeHold } from '../billing/open-hold.ts'
import type { Model } from '../catalog/model.ts'
import type { Caller } from '../keys/caller.ts'
import { highestImageRate } from '../pricing/image-rate.ts'
import { attoUsdOf, chargeForCost } from '../pricing/usd.ts'
import type { AttemptDeps } from '../routing/attempt-targets.ts'
import { listTargets, type TargetDeps } from '../routing/list-targets.ts'
import { findMediaModel, type FindModelDeps } from './find-model.ts'
import type { ImageCall } from './image-call.ts'
import { type ImageTarget, imageTarget } from './image-target.ts'
import type { LateCostDeps } from './late-cost.ts'

export interface ImageDeps extends BillingDeps, FindModelDeps, LateCostDeps, TargetDeps, AttemptDeps {
  /** Keeps a picture for an hour. @returns its address, which needs no key. */
  readonly keepImage: (image: { readonly bytes: Buffer; readonly mediaType: string }) => Promise<string>
  /** As for chat: the longest that the 200 of a stream waits, in milliseconds. */
  readonly firstContentMs: number
}

/** One request of one caller. */
export interface ImageTask {
  readonly caller: Caller
  readonly call: ImageCall
  /** UUIDv7; also the id of the hold and of the usage record. */
  readonly requestId: string
}

export interface PreparedImages {
  readonly model: Model
  /** Every upstream that may come to make them; the hold covers the dearest. */
  readonly targets: readonly ImageTarget[]
  /** Who makes them: the first target, until an attempt is repeated elsewhere. */
  target: ImageTarget
  readonly hold: OpenHold
}

/**
 * The most that one render can cost: the dearest price that the settings leave open, and all that is charged beside it,
 * since each render may take a call of its own. Source: decision 0022 (size of a hold).
 */
function boundRender({ offer: { prices } }: ImageTarget, { settings, inputs, prompt }: ImageCall): Nanocredits {
  const text = BigInt(Buffer.byteLength(prompt)) * (prices.perInputToken ?? 0n)
  const given = (prices.perInputImage ?? 0n) + (prices.perInputImageToken ?? 0n) * BigInt(INPUT_IMAGE_TOKENS)
  const render = highestImageRate(prices, settings)
  const whole = render + (prices.perRequest ?? 0n) + text + given * BigInt(inputs.length)
  return chargeForCost(attoUsdOf(whole))
}

/**
 * Resolves the model, checks what the key may do and the model can, and holds the credits.
 *
 * @throws {ServiceError} 404 unknown model, 403 model not allowed, 400 what no upstream can do, 402 naming what is
 *   needed, 503 while every upstream for it is left alone.
 */
export async function prepareImages(deps: ImageDeps, { caller, call, requestId }: ImageTask): Promise<PreparedImages> {
  const model = findMediaModel(deps, caller, { id: call.model, type: 'image' })
  const targets = listTargets(deps, model, imageTarget(model, call))
  const hold = await placeHold(deps, {
    requestId,
    caller,
    type: 'image',
    model: call.model,
    stream: call.stream,
    fixed: nanocreditsOf(0n),
    perUnit: targets.map((target) => boundRender(target, call)).reduce((most, bound) => (bound > most ? bound : most)),
    units: call.count,
    policy: 'exact',
    firstUnits: 0,
    flush: call.stream ? 'at_once' : 'with_end',
  })
  return { model, targets, target: targets[0], hold }
}
