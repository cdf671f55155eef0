/** The model that a request names, as far as its key may use it. */
import { isSoldByPrompt } from '@svc/contract'
import type { Catalog } from '../catalog/catalog.ts'
import type { Model } from '../catalog/model.ts'
import { unknownModel } from '../catalog/unknown-model.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { Caller } from '../access/keys/caller.ts'
import type { MediaPrices } from '../pricing/media-price.ts'
import { isInService, type TargetDeps } from './routing/list-targets.ts'

export interface FindModelDeps {
  readonly catalog: Catalog
}

/**
 * Finds a model and checks that the key may use it.
 *
 * @param id as the request names it.
 * @param type of the models that the request could mean.
 * @throws {ServiceError} `model_not_found`, `model_not_allowed`.
 */
export function findModel(
  { catalog }: FindModelDeps,
  caller: Pick<Caller, 'models'>,
  id: string,
  type: Model['type'] | null = null,
): Model {
  const model = catalog.find(id)
  if (model === null) throw unknownModel(catalog, { id, type, param: 'model', allowed: caller.models })
  if (caller.models !== null && !caller.models.some((allowed) => catalog.find(allowed)?.id === model.id)) {
    throw new ServiceError('model_not_allowed', 'This key may not use this model.', { param: 'model' })
  }
  return model
}

/**
 * The same, of a model that chats.
 *
 * @throws {ServiceError} `invalid_value` for a model that is sold otherwise.
 */
export function findChatModel(deps: FindModelDeps, caller: Pick<Caller, 'models'>, id: string): Model {
  const model = findModel(deps, caller, id)
  if (model.price === null || isSoldByPrompt(model.type)) throw wrongModel(model, 'answer chat requests')
  return model
}

/**
 * The first of several models that there is, that the key may use for chats, and whose upstreams are in service; where
 * those of none are, the first that there is and that the key may use.
 *
 * @param ids in the order of preference, at least one.
 * @throws {ServiceError} why it is not the first, where it is none of them.
 */
export function firstChatModel(
  deps: FindModelDeps & Pick<TargetDeps, 'upstreamOf'>,
  caller: Pick<Caller, 'models'>,
  ids: readonly [string, ...string[]],
): string {
  let refusal: unknown = null
  let resting: string | null = null
  for (const id of ids) {
    try {
      if (isInService(deps, findChatModel(deps, caller, id))) return id
      resting ??= id
    } catch (error) {
      refusal ??= error
    }
  }
  if (resting === null) throw refusal
  return resting
}

const mediaAbilities: Readonly<Record<MediaPrices['type'], string>> = {
  image: 'make images',
  video: 'make videos',
  speech: 'speak text',
  transcription: 'transcribe audio',
}

/**
 * The same, of a model that is sold for one kind of media.
 *
 * @throws {ServiceError} `invalid_value` for a model that does something else, or whose price is unknown.
 */
export function findMediaModel(
  deps: FindModelDeps,
  caller: Pick<Caller, 'models'>,
  request: { readonly id: string; readonly type: MediaPrices['type'] },
): Model {
  const model = findModel(deps, caller, request.id, request.type)
  if (model.media === null || model.media.type !== request.type) throw wrongModel(model, mediaAbilities[request.type])
  return model
}

/** @param ability what the model does not do, as in: The model `…` does not make embeddings. */
export function wrongModel(model: Model, ability: string): ServiceError {
  return new ServiceError('invalid_value', `The model \`${model.id}\` does not ${ability}.`, { param: 'model' })
}
