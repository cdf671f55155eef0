/** The list of models as clients of Anthropic's API page through it. */
import type { ModelListReply, ModelsQuery, Printed } from '@svc/contract'
import type { Catalog } from '../catalog/catalog.ts'
import type { Model } from '../catalog/model.ts'
import { renderAnthropicModel } from '../catalog/render-anthropic-model.ts'
import { ServiceError } from '../platform/errors/service-error.ts'

type Entry = readonly [id: string, model: Model]

function placeOf(entries: readonly Entry[], param: 'after_id' | 'before_id', id: string): number {
  const place = entries.findIndex(([each]) => each === id)
  if (place >= 0) return place
  throw new ServiceError('invalid_value', `Invalid value for '${param}': no model of the list.`, { param })
}

/**
 * Lists the names that clients ask for by default, and then the models.
 *
 * @param isShown whether a model passes the filters.
 * @throws {ServiceError} 400 for an id that is in no list.
 */
export function listAnthropicModels(
  catalog: Catalog,
  query: Pick<ModelsQuery, 'limit' | 'offset' | 'after_id' | 'before_id'>,
  isShown: (model: Model) => boolean,
): Printed<ModelListReply> {
  const { limit, offset = 0, after_id: after, before_id: before } = query
  const models = catalog.list().map((model): Entry => [model.id, model])
  const entries = [...catalog.clientNames(), ...models].filter(([, model]) => isShown(model))
  const begin = after === undefined ? offset : placeOf(entries, 'after_id', after) + 1
  const end = before === undefined ? entries.length : placeOf(entries, 'before_id', before)
  // A page before an id is the one next to it.
  const first = before === undefined || limit === undefined ? begin : Math.max(begin, end - limit)
  const last = limit === undefined ? end : Math.min(end, first + limit)
  const page = entries.slice(first, last)
  return {
    object: 'list',
    data: page.map(([id, model]) => renderAnthropicModel(id, model)),
    total_count: entries.length,
    links: { next: null },
    has_more: before === undefined ? last < entries.length : first > begin,
    first_id: page[0]?.[0] ?? null,
    last_id: page.at(-1)?.[0] ?? null,
  }
}
