import type { ModelType, PromptTraining } from '@svc/contract'
import type { ChatPrice } from '../pricing/price.ts'
import type { MediaOffer } from './media-offer.ts'

/** One place where a model is served, and what it costs there. One of both prices is there. */
export interface ModelTarget {
  /** Name of a configured upstream. */
  readonly upstream: string
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  /** What its tokens cost there; null where it is not sold by tokens. */
  readonly price: ChatPrice | null
  /** How its media are sold there, always as one kind; null where they are not. */
  readonly media: MediaOffer | null
  readonly weight: number
}

/** How a model is served by several upstreams. */
export interface ModelRoute {
  /** In the order of the configuration; at least two. */
  readonly targets: readonly ModelTarget[]
  /** Whether the first to be asked is drawn by weight. */
  readonly isWeighted: boolean
  /** Whether the next is asked when one fails without a bill. */
  readonly fallback: boolean
}

/** A model as the gateway offers it, whatever list it came from. */
export interface Model {
  /** What `GET /v1/models` shows: an alias, or the prefix and the upstream's id. */
  readonly id: string
  /** Name of the configured upstream that serves it: the first, where there are several. */
  readonly upstream: string
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  readonly type: ModelType
  readonly featured: boolean
  readonly name: string
  readonly description: string | null
  /** The maker, from the id's first part; display only. */
  readonly ownedBy: string
  /** Seconds since the epoch. */
  readonly created: number
  /** Null when the list does not say. */
  readonly contextLength: number | null
  readonly maxOutputTokens: number | null
  readonly inputModalities: readonly string[]
  readonly outputModalities: readonly string[]
  readonly supportedParameters: readonly string[]
  /** Null for models that are not sold by tokens; of several upstreams, that of the first which sells it so. */
  readonly price: ChatPrice | null
  /**
   * How media are sold; null for models of text alone. One of both prices is there. Of several upstreams, what the
   * first can do at the prices of the dearest: what each of them takes is in its target.
   */
  readonly media: MediaOffer | null
  /** Null for a model with one upstream. */
  readonly route: ModelRoute | null
  /** Aliases that lead to this model; the model that an alias leads to. */
  readonly aliases: readonly string[]
  readonly aliasFor: string | null
  /** Served by confidential-compute providers only, without fallback. */
  readonly confidential: boolean
  /**
   * Whether its providers may train on prompts, by the strictest of its upstreams; null where the operator does not
   * say.
   */
  readonly promptTraining: PromptTraining | null
}

/** Where a model is served: its one upstream, or all targets of its route. */
export function offeringsOf(model: Model): readonly ModelTarget[] {
  const { upstream, upstreamModel, price, media, route } = model
  return route?.targets ?? [{ upstream, upstreamModel, price, media, weight: 1 }]
}

/** What the tokens of a model can cost: one price, or those of all its targets. */
export function pricesOf({ price, route }: Pick<Model, 'price' | 'route'>): readonly ChatPrice[] {
  if (route !== null) return route.targets.flatMap((target) => target.price ?? [])
  return price === null ? [] : [price]
}
