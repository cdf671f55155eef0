import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { Model } from '../../catalog/model.ts'
import { renderModel } from '../../catalog/render-model.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import type { ModelRoutesDeps } from '../routes-deps.ts'
import { mountPublic } from '../route.ts'

function hasWords(model: Model, words: readonly string[]): boolean {
  const text = `${model.id} ${model.name}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** GET /v1/models. Source: spec 4, 2.12. */
export function v1Models(app: FastifyInstance, deps: ModelRoutesDeps): void {
  mountPublic(app, deps, endpoints.listModels, ({ request }) => {
    const { type, q, limit, offset } = parseBySchema(endpoints.listModels.request.query, request.query)
    const words = (q ?? '').toLowerCase().split(/\s+/)
    const models = deps.catalog
      .list()
      .filter((model) => (type === undefined || type === 'all' || model.type === type) && hasWords(model, words))
    const start = offset ?? 0
    return {
      object: 'list',
      data: models.slice(start, limit === undefined ? undefined : start + limit).map(renderModel),
    }
  })
}
