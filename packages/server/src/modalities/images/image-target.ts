/** One upstream that may make the images of a request. */
import type { MediaOfferOf } from '../../catalog/media-offer.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Model } from '../../catalog/model.ts'
import type { SelectTarget } from '../../pipeline/routing/list-targets.ts'
import type { Target } from '../../pipeline/routing/target.ts'
import type { ImageUpstream } from '../../upstreams/image-upstream.ts'
import type { ImageCall } from './image-call.ts'

export interface ImageTarget extends Target {
  readonly port: ImageUpstream
  readonly offer: MediaOfferOf<'image'>
}

/** The targets of a request for images: those that make them and take what it gives. */
export function imageTarget(model: Model, call: ImageCall): SelectTarget<ImageTarget> {
  return ({ upstream, upstreamModel, media }) => {
    if (media?.type !== 'image') return null
    const { images: port } = upstream
    if (port === null) {
      throw new ServiceError('invalid_value', 'This model does not support images.', { param: 'model' })
    }
    checkInputs(media, model, call)
    port.check({ isEdit: call.kind === 'edit', inputs: call.inputs, mask: call.mask })
    return { upstream, upstreamModel, port, offer: media }
  }
}

/** @throws {ServiceError} 400 for images that the model does not take, or that it needs. */
function checkInputs(offer: MediaOfferOf<'image'>, model: Model, { inputs, kind }: ImageCall): void {
  const { facts } = offer
  const param = kind === 'edit' ? 'image' : 'input_references'
  if (inputs.length > 0 && (facts.inputImagesMax === 0 || !takesImages(offer, model))) {
    throw new ServiceError('invalid_value', `The model \`${model.id}\` takes no images.`, { param })
  }
  if (facts.inputImagesMax !== null && inputs.length > facts.inputImagesMax) {
    const message = `The model \`${model.id}\` takes at most ${facts.inputImagesMax} images.`
    throw new ServiceError('invalid_value', message, { param })
  }
  if (inputs.length < facts.inputImagesMin) {
    const message = `The model \`${model.id}\` needs at least ${facts.inputImagesMin} images to go by.`
    throw new ServiceError('missing_required_parameter', message, { param })
  }
}

/** A list that names image inputs means it; one that names text alone often just omits them. */
function takesImages({ source }: MediaOfferOf<'image'>, { inputModalities }: Model): boolean {
  return inputModalities.includes('image') || source === 'configured'
}
