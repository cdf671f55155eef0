/** What every request for pictures needs before an upstream is asked: its model, its price and its hold. */
import { INPUT_IMAGE_TOKENS, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { type BillingDeps, type OpenHold, placeHold } from '../billing/open-hold.ts'
import type { MediaOfferOf } from '../catalog/media-offer.ts'
import type { Model } from '../catalog/model.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Caller } from '../keys/caller.ts'
import { highestImageRate } from '../pricing/image-rate.ts'
import type { AttoUsd } from '../pricing/price.ts'
import { attoUsdOf, chargeForCost } from '../pricing/usd.ts'
import type { ImageUpstream } from '../upstream/image-upstream.ts'
import { findMediaModel, type FindModelDeps } from './find-model.ts'
import type { ImageCall } from './image-call.ts'
import type { LateCostDeps } from './late-cost.ts'

/** An upstream as far as pictures are concerned. */
export interface ImageServer {
  readonly name: string
  readonly images: ImageUpstream | null
  findCost(generationId: string): Promise<AttoUsd | null>
}

export interface ImageDeps extends BillingDeps, FindModelDeps, LateCostDeps {
  readonly imageServerOf: (model: Model) => ImageServer
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
  readonly offer: MediaOfferOf<'image'>
  readonly server: ImageServer
  readonly port: ImageUpstream
  readonly hold: OpenHold
}

/**
 * The most that one render can cost: the dearest price that the settings leave open, and all that is charged beside it,
 * since each render may take a call of its own. Source: decision 0022 (size of a hold).
 */
function boundRender({ prices }: MediaOfferOf<'image'>, { settings, inputs, prompt }: ImageCall): Nanocredits {
  const text = BigInt(Buffer.byteLength(prompt)) * (prices.perInputToken ?? 0n)
  const given = (prices.perInputImage ?? 0n) + (prices.perInputImageToken ?? 0n) * BigInt(INPUT_IMAGE_TOKENS)
  const render = highestImageRate(prices, settings)
  const whole = render + (prices.perRequest ?? 0n) + text + given * BigInt(inputs.length)
  return chargeForCost(attoUsdOf(whole))
}

/** @throws {ServiceError} 400 for pictures that the model does not take, or that it needs. */
function checkInputs({ facts }: MediaOfferOf<'image'>, model: Model, { inputs, kind }: ImageCall): void {
  const param = kind === 'edit' ? 'image' : 'input_references'
  if (inputs.length > 0 && (facts.inputImagesMax === 0 || !takesImages(model))) {
    throw new ServiceError('invalid_value', `The model \`${model.id}\` takes no pictures.`, { param })
  }
  if (facts.inputImagesMax !== null && inputs.length > facts.inputImagesMax) {
    const message = `The model \`${model.id}\` takes at most ${facts.inputImagesMax} pictures.`
    throw new ServiceError('invalid_value', message, { param })
  }
  if (inputs.length < facts.inputImagesMin) {
    const message = `The model \`${model.id}\` needs at least ${facts.inputImagesMin} pictures to go by.`
    throw new ServiceError('missing_required_parameter', message, { param })
  }
}

/** A list that names inputs means it; one that tells of text alone is often a list that tells nothing. */
function takesImages({ inputModalities, media }: Model): boolean {
  return inputModalities.includes('image') || media?.source === 'configured'
}

/**
 * Resolves the model, checks what the key may do and the model can, and holds the credits.
 *
 * @throws {ServiceError} 404 unknown model, 403 model not allowed, 400 what the model cannot do, 402 naming what is
 *   needed.
 */
export async function prepareImages(deps: ImageDeps, { caller, call, requestId }: ImageTask): Promise<PreparedImages> {
  const { model, offer } = findMediaModel(deps, caller, { id: call.model, type: 'image' })
  const server = deps.imageServerOf(model)
  if (server.images === null) {
    throw new ServiceError('invalid_value', 'The upstream of this model makes no pictures.', { param: 'model' })
  }
  checkInputs(offer, model, call)
  server.images.refuseOpen?.(model.upstreamModel)
  const hold = await placeHold(deps, {
    requestId,
    caller,
    type: 'image',
    model: call.model,
    stream: call.stream,
    fixed: nanocreditsOf(0n),
    perUnit: boundRender(offer, call),
    units: call.count,
    policy: 'exact',
    firstUnits: 0,
    flush: call.stream ? 'at_once' : 'with_end',
  })
  return { model, offer, server, port: server.images, hold }
}
