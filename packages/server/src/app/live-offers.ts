/** Prices and routes that operators set while the gateway runs: read, applied, previewed. Part of the composition. */
import { offerPrice, offerRoute, type OfferChange } from '@svc/contract'
import type { StoredSetting } from '../access/operators/operator-store.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import {
  NO_OFFERS,
  offerOfPrice,
  offerOfRoute,
  type OfferSettings,
  priceOfOffer,
  routeOfOffer,
} from '../config/resolve-offers.ts'
import { nameOf, type OfferServices, type SetOffers } from '../operations/actions/change-offers.ts'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'
import { type OpenCatalog, openCatalog } from './open-catalog.ts'
import { readSettingsBesideFile } from './settings-beside-file.ts'

/** How the settings of the gateway name them. */
const NAME = /^(price|route):(.+)$/s

interface LiveOffersParts {
  readonly config: Pick<Config, 'upstreams' | 'routes' | 'prices'>
  readonly database: Database
  readonly catalog: OpenCatalog
  readonly log: Logger
}

interface Read extends SetOffers {
  readonly settings: OfferSettings
}

export class LiveOffers implements OfferServices {
  readonly #parts: LiveOffersParts
  #applied = '[]'

  constructor(parts: LiveOffersParts) {
    this.#parts = parts
  }

  /** Makes this process sell by what is set now. */
  async follow(): Promise<void> {
    const stored = await this.#stored()
    const version = JSON.stringify([...stored].map(([name, { value }]) => [name, value]))
    if (version === this.#applied) return
    const { settings, problems } = this.#read(stored)
    for (const problem of problems) this.#parts.log.warn(problem)
    this.#parts.catalog.apply(settings)
    this.#applied = version
  }

  async list(): Promise<SetOffers> {
    return this.#read(await this.#stored())
  }

  async preview(change: OfferChange): Promise<{ readonly before: Catalog; readonly after: Catalog }> {
    const stored = await this.#stored()
    const { catalog } = this.#parts
    const before = catalog.preview(this.#read(stored).settings)
    const next = new Map(stored)
    const name = nameOf(change)
    if (change.value === null) next.delete(name)
    else next.set(name, { value: JSON.stringify(change.value), updatedAt: 0, updatedBy: null })
    return { before, after: catalog.preview(this.#read(next).settings) }
  }

  problemsOf(change: OfferChange): readonly string[] {
    const { config } = this.#parts
    const [inFile, kind] = change.kind === 'price' ? [config.prices, 'price'] : [config.routes, 'route']
    if (inFile.has(change.id)) {
      return [`The ${kind} of ${change.id} is set in svc.config.json, which goes first. Change it there.`]
    }
    if (change.kind === 'price' || change.value === null) return []
    const problems: string[] = []
    routeOfOffer(change.id, change.value, config.upstreams, problems)
    return problems
  }

  #stored(): Promise<ReadonlyMap<string, StoredSetting>> {
    return readSettingsBesideFile(this.#parts.database, ['price:', 'route:'])
  }

  #read(stored: ReadonlyMap<string, StoredSetting>): Read {
    const { config } = this.#parts
    const problems: string[] = []
    const routes = new Map(NO_OFFERS.routes)
    const prices = new Map(NO_OFFERS.prices)
    const facts = { file: { set_in: 'file', at: null, by: null } as const }
    const shown: { prices: SetOffers['prices'][number][]; routes: SetOffers['routes'][number][] } = {
      prices: [...config.prices].map(([id, price]) => ({ id, ...facts.file, value: offerOfPrice(price) })),
      routes: [...config.routes].map(([id, route]) => ({ id, ...facts.file, value: offerOfRoute(route) })),
    }
    for (const [name, { value, updatedAt: at, updatedBy: by }] of stored) {
      const [, kind, id = ''] = NAME.exec(name) ?? []
      const fact = { id, set_in: 'console', at, by } as const
      const price = kind === 'price' ? offerPrice.safeParse(JSON.parse(value)).data : undefined
      const route = kind === 'route' ? offerRoute.safeParse(JSON.parse(value)).data : undefined
      if (price === undefined && route === undefined) {
        problems.push(`The ${kind} of ${id} that was set in the console holds no more: it is in no form that is known.`)
      }
      if (price !== undefined) {
        prices.set(id, priceOfOffer(price))
        if (!config.prices.has(id)) shown.prices.push({ ...fact, value: price })
      }
      if (route !== undefined) {
        const read = routeOfOffer(id, route, config.upstreams, problems)
        if (read !== null) routes.set(id, read)
        if (!config.routes.has(id)) shown.routes.push({ ...fact, value: route })
      }
    }
    const upstreams = config.upstreams.map(({ name, kind }) => ({ name, kind }))
    return { ...shown, upstreams, problems, settings: { routes, prices } }
  }
}

/** Opens the catalog with what operators have set beside the file. */
export async function openOffers({
  clock,
  ...parts
}: Pick<LiveOffersParts, 'database' | 'log'> & { readonly config: Config; readonly clock: Clock }) {
  const catalog = await openCatalog(parts.config, clock, parts.log)
  const offers = new LiveOffers({ ...parts, catalog })
  await offers.follow()
  return { catalog, offers }
}
