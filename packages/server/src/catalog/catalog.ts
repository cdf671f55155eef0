/**
 * The list of all models that the gateway offers, and how an id leads to one of them.
 */
import type { ClientNames } from './client-names.ts'
import type { Model } from './model.ts'

export interface Catalog {
  /** Everything that `GET /v1/models` shows: featured aliases first, then by id. */
  list(): readonly Model[]
  /**
   * The model that an id names, listed or not: an alias exactly, or an id with the catalog's prefix or without it.
   * Else by a name that clients ask for by default. There is no match by a part of an id, since a neighbour's price is
   * a wrong price.
   *
   * @returns null when no model has this id.
   */
  find(id: string): Model | null
  /** Names that clients ask for by default and that lead to a model: each name and its model, in their order. */
  clientNames(): readonly (readonly [name: string, model: Model])[]
  /** When the list was received, in milliseconds since the epoch. */
  readonly updatedAt: number
  readonly counts: CatalogCounts
}

export interface CatalogCounts {
  readonly featured: number
  /** Beside the featured ones. */
  readonly models: number
}

/** A catalog whose content can be replaced as a whole. Readers keep the object and always see one complete list. */
export interface LiveCatalog extends Catalog {
  current(): Catalog
  replace(next: Catalog): void
}

export interface CatalogContent {
  readonly listed: readonly Model[]
  /** Addressable, but not shown. */
  readonly unlisted: readonly Model[]
  /** Ids carry it in lists; requests may leave it out. Empty for none. */
  readonly prefix: string
  readonly updatedAt: number
  /** Names that clients ask for by default; absent for none. */
  readonly clientNames?: ClientNames
  /** Answers for an id that is in no list; returns null for none. */
  readonly findUnknown: (id: string) => Model | null
}

/** Makes a catalog that never changes. The order of `listed` is kept. */
export function createCatalog(content: CatalogContent): Catalog {
  const models = [...content.listed, ...content.unlisted]
  const bare = models.flatMap((model): [string, Model][] =>
    content.prefix !== '' && !model.featured && model.id.startsWith(content.prefix)
      ? [[model.id.slice(content.prefix.length), model]]
      : [],
  )
  // Later entries win: an id as it is listed goes before the same text as a bare id.
  const byId = new Map<string, Model>([...bare, ...models.map((model): [string, Model] => [model.id, model])])
  const featured = content.listed.filter((model) => model.featured).length
  const named = (id: string): Model | null => {
    const name = content.clientNames?.find(id) ?? null
    if (name === null) return null
    // What an operator names may be in no list, too.
    return byId.get(name.target) ?? (name.isOwn ? content.findUnknown(name.target) : null)
  }
  const names = [...(content.clientNames?.names ?? [])].flatMap((name): [string, Model][] => {
    const model = byId.has(name) ? null : named(name)
    return model === null ? [] : [[name, model]]
  })
  return {
    list: () => content.listed,
    find: (id) => byId.get(id) ?? named(id) ?? content.findUnknown(id),
    clientNames: () => names,
    updatedAt: content.updatedAt,
    counts: { featured, models: content.listed.length - featured },
  }
}

/** Makes a catalog that starts with `initial` and can be replaced. */
export function createLiveCatalog(initial: Catalog): LiveCatalog {
  let current = initial
  return {
    list: () => current.list(),
    find: (id) => current.find(id),
    clientNames: () => current.clientNames(),
    get updatedAt() {
      return current.updatedAt
    },
    get counts() {
      return current.counts
    },
    current: () => current,
    replace: (next) => {
      current = next
    },
  }
}
