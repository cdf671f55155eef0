/** Where a model is sold. */
import type { Model, ModelRoute, ModelTarget } from './model.ts'
import type { CatalogRoute } from './catalog-config.ts'
import { combineOffers } from './find-media-offer.ts'

/** The part of a model that says where it is sold and what its media cost. */
export interface SoldPlaces {
  /** In the order of the configuration; empty for a model that is not sold. */
  readonly targets: readonly ModelTarget[]
  readonly media: Model['media']
  /** Null for a single target: then there is nothing to choose. */
  readonly route: ModelRoute | null
}

/**
 * Leaves out the places where a model has no price: what is not sold is not asked. All media are sold as what the first
 * place sells, since one model does one thing.
 *
 * @param configured null for a model without a route.
 */
export function soldPlaces(configured: CatalogRoute | null, places: readonly ModelTarget[]): SoldPlaces {
  const media = combineOffers(places.flatMap((place) => place.media ?? []))
  const targets = places
    .map((place) => (place.media === null || place.media.type === media?.type ? place : { ...place, media: null }))
    .filter((place) => place.price !== null || place.media !== null)
  const isAlone = configured === null || targets.length < 2
  const { isWeighted = false, fallback = true } = configured ?? {}
  return { targets, media, route: isAlone ? null : { targets, isWeighted, fallback } }
}
