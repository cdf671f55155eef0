/** What is said of a model that there is none of. */
import { closestName } from '../config/closest-name.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { Catalog } from './catalog.ts'
import type { Model } from './model.ts'

/** Longer ids are not compared with others: none is near, and looking costs time. */
const COMPARED_MAX = 64
const SHOWN_MAX = 128

export interface UnknownModel {
  /** As the request names it. */
  readonly id: string
  /** The field that names it. */
  readonly param: string
  /** What the request is for; null for anything. */
  readonly type: Model['type'] | null
  /** Ids that the key may use; null for all. Others are never named. */
  readonly allowed: readonly string[] | null
}

/** @returns `model_not_found`, which names a model that was likely meant, and where all are listed. */
export function unknownModel(catalog: Catalog, { id, param, type, allowed }: UnknownModel): ServiceError {
  const near = nearModel(catalog, id, allowed)
  const hint = near === null ? '' : ` Did you mean \`${near}\`?`
  const message =
    `The model \`${id.slice(0, SHOWN_MAX)}\` does not exist or you do not have access to it.${hint} ` +
    `GET /v1/models${type === null ? '' : `?type=${type}`} lists those that there are.`
  return new ServiceError('model_not_found', message, { param })
}

/**
 * The listed model whose id is near another text: the same without its maker, as in `gpt-image-1` for
 * `openai/gpt-image-1`, or the same but for a few letters. A near name is only ever named, never used: a neighbour's
 * price is a wrong price.
 */
function nearModel(catalog: Catalog, id: string, allowed: readonly string[] | null): string | null {
  if (id.length > COMPARED_MAX) return null
  const usable = allowed === null ? null : new Set(allowed.map((each) => catalog.find(each)?.id))
  const names = new Map<string, string>()
  for (const model of catalog.list()) {
    if (usable !== null && !usable.has(model.id)) continue
    for (const name of namesOf(model.id)) if (!names.has(name)) names.set(name, model.id)
  }
  const asked = id.toLowerCase()
  const exact = names.get(asked)
  if (exact !== undefined) return exact
  const closest = closestName(asked, [...names.keys()])
  return closest === null ? null : (names.get(closest) ?? null)
}

/** An id, and what is left of it without the parts before its slashes. */
function namesOf(id: string): string[] {
  const parts = id.toLowerCase().split('/')
  return parts.map((_part, index) => parts.slice(index).join('/'))
}
