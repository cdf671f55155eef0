/** The route that says what requests would cost. */
import { consoleEndpoints, creditsJson, type ModelPrice, nanocreditsOf, type Printed, usdJson } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { Model } from '../catalog/model.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { priceWork } from './price-work.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

function findModel({ edge }: ConsoleEdge, id: string): Model {
  const model = edge.catalog.find(id)
  if (model !== null) return model
  throw new ServiceError('model_not_found', 'There is no such model.', { param: 'model' })
}

export function mountModelPrice(app: FastifyInstance, parts: ConsoleEdge): void {
  mountSession(app, parts, consoleEndpoints.getModelPrice, ({ query }): Printed<ModelPrice> => {
    const model = findModel(parts, query.model)
    const priced = priceWork(model, query)
    if (priced === null) throw new ServiceError('model_not_found', 'This model has no price.', { param: 'model' })
    const all = nanocreditsOf(priced.charge * BigInt(query.requests))
    return {
      model: model.id,
      type: model.type,
      requests: query.requests,
      credits_per_request: creditsJson(priced.charge),
      credits: creditsJson(all),
      usd: usdJson(all),
      basis: priced.basis === 'card' ? 'card' : 'list',
      may_be_more: !isByListAlone(model),
    }
  })
}

/** Upstreams report no cost of speech and sound; whatever else they may report decides where it is dearer. */
function isByListAlone({ type }: Model): boolean {
  return type === 'speech' || type === 'transcription'
}
