/** The routes that say what requests would cost. */
import {
  consoleEndpoints,
  creditsJson,
  type ModelPrice,
  nanocreditsOf,
  type Printed,
  type RequestPrice,
  usdJson,
} from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { Model } from '../catalog/model.ts'
import { unknownModel } from '../catalog/unknown-model.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { parseBySchema } from '../platform/errors/parse-by-schema.ts'
import { chargeUsage } from '../quotes/charge-usage.ts'
import { quoteRequest } from '../quotes/quote-request.ts'
import { type ConsoleEdge, findVisitor, mountSession } from './session-route.ts'

function findModel({ edge }: ConsoleEdge, id: string): Model {
  const model = edge.catalog.find(id)
  if (model !== null) return model
  throw unknownModel(edge.catalog, { id, param: 'model', type: null, allowed: null })
}

export function mountModelPrice(app: FastifyInstance, parts: ConsoleEdge): void {
  mountSession(app, parts, consoleEndpoints.getModelPrice, ({ query }): Printed<ModelPrice> => {
    const model = findModel(parts, query.model)
    const priced = chargeUsage(model, query)
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

/** Mounts what the gateway has measured of its models. */
export function mountModelSpeeds(app: FastifyInstance, parts: ConsoleEdge): void {
  const { timings, clock } = parts.edge
  mountSession(app, parts, consoleEndpoints.listModelSpeeds, ({ query }) => timings.speeds.read(query, clock.now()))
}

/** Mounts the price of one request: pages and the terminal client ask it before they send one. */
export function mountRequestPrice(app: FastifyInstance, parts: ConsoleEdge): void {
  const row = consoleEndpoints.getRequestPrice
  app.get(row.path, async (request, reply): Promise<Printed<RequestPrice>> => {
    reply.header('cache-control', 'no-store')
    await findVisitor(parts, { request, reply })
    const query = parseBySchema(row.request.query, request.query)
    const model = findModel(parts, query.model)
    const { least, likely, most, isGuess, counted } = quoteRequest(model, query)
    return {
      model: model.id,
      type: model.type,
      credits_at_least: creditsJson(least),
      credits_likely: creditsJson(likely),
      credits_at_most: creditsJson(most),
      is_guess: isGuess,
      counted,
    }
  })
}

/** Upstreams report no cost of speech and audio; whatever else they may report decides where it is dearer. */
function isByListAlone({ type }: Model): boolean {
  return type === 'speech' || type === 'transcription'
}
