/** The routes about prices and routes that operators set while the gateway runs. */
import { consoleEndpoints, creditsJson, type OfferPreview, type Printed } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { ComparedPrice } from '../catalog/compare-prices.ts'
import { changeOffer, requireOffer } from '../operations/actions/change-offers.ts'
import { operatorOf, secondsOf } from './operator-of.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

/** What a page can show. */
const CHANGES_MAX = 200

type Offered = Printed<OfferPreview>['data'][number]['before']

function renderOffered(price: ComparedPrice | undefined): Offered {
  if (price === undefined) return null
  return {
    upstreams: [...price.upstreams],
    warnings: [...price.warnings],
    lines: price.lines.map(({ kind, cost, selling, marginBps }) => ({
      ...{ kind, cost: cost === null ? null : creditsJson(cost), selling: creditsJson(selling) },
      margin_bps: marginBps,
    })),
  }
}

/** Every model that is sold otherwise. */
function changesBetween(before: readonly ComparedPrice[], after: readonly ComparedPrice[]) {
  const [was, is] = [before, after].map((prices) => new Map(prices.map((price) => [price.id, price])))
  const ids = [...new Set([...before, ...after].map(({ id }) => id))]
  return ids.flatMap((id) => {
    const [one, other] = [was?.get(id), is?.get(id)]
    const [shown, next] = [renderOffered(one), renderOffered(other)]
    if (JSON.stringify(shown) === JSON.stringify(next)) return []
    return [{ id, name: (other ?? one)?.name ?? id, before: shown, after: next }]
  })
}

export function mountOperatorOffers(app: FastifyInstance, parts: ConsoleEdge): void {
  const services = parts.edge.operators
  const { offers } = services
  mountSession(app, parts, consoleEndpoints.getOffers, async () => {
    const { upstreams, problems, prices, routes } = await offers.list()
    return {
      ...{ upstreams, problems },
      prices: prices.map(({ at, ...price }) => ({ ...price, at: secondsOf(at) })),
      routes: routes.map(({ at, ...route }) => ({ ...route, at: secondsOf(at) })),
    }
  })
  mountSession(app, parts, consoleEndpoints.previewOffer, async ({ body: { change } }) => {
    requireOffer(offers, change)
    const { before, after } = await offers.preview(change)
    const changes = changesBetween(services.compare(before), services.compare(after))
    return { data: changes.slice(0, CHANGES_MAX) }
  })
  mountSession(app, parts, consoleEndpoints.changeOffer, async ({ session, body }) => {
    await changeOffer(services, operatorOf(session), body)
    return { done: true }
  })
}
