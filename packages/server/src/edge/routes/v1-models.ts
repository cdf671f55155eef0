import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { type Model, pricesOf } from '../../catalog/model.ts'
import { renderModel } from '../../catalog/render-model.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import type { ModelRoutesDeps } from '../routes-deps.ts'
import { speaksAnthropic, speaksOpenRouter } from '../client-form.ts'
import { listAnthropicModels } from '../list-anthropic-models.ts'
import { mountPublic } from '../route.ts'

function hasWords(model: Model, words: readonly string[]): boolean {
  const text = `${model.id} ${model.name}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** GET /v1/models. Source: spec 4, 2.12. */
export function v1Models(app: FastifyInstance, deps: ModelRoutesDeps): void {
  mountPublic(app, deps, endpoints.listModels, ({ request }) => {
    const query = parseBySchema(endpoints.listModels.request.query, request.query)
    const isAnthropic = speaksAnthropic(request)
    const { q, limit, offset, type = isAnthropic ? 'text' : 'all' } = query
    const words = (q ?? '').toLowerCase().split(/\s+/)
    // OpenRouter's SDKs refuse a whole list for one model without a price by tokens.
    const isPriced = (model: Model): boolean => !speaksOpenRouter(request) || pricesOf(model).length > 0
    const isShown = (model: Model): boolean =>
      (type === 'all' || model.type === type) && hasWords(model, words) && isPriced(model)
    if (isAnthropic) return listAnthropicModels(deps.catalog, query, isShown)
    const models = deps.catalog.list().filter(isShown)
    const start = offset ?? 0
    return {
      object: 'list',
      data: models.slice(start, limit === undefined ? undefined : start + limit).map(renderModel),
      total_count: models.length,
      links: { next: null },
    }
  })
}
