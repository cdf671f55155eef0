import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { renderAnthropicModel } from '../../catalog/render-anthropic-model.ts'
import { renderModel } from '../../catalog/render-model.ts'
import { unknownModel } from '../../catalog/unknown-model.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import type { ModelRoutesDeps } from '../routes-deps.ts'
import { speaksAnthropic } from '../client-form.ts'
import { mountPublic } from '../route.ts'

/** GET /v1/models/{id}. Slashes of the id come raw or as `%2F`. Source: spec 4. */
export function v1ModelsId(app: FastifyInstance, deps: ModelRoutesDeps): void {
  mountPublic(app, deps, endpoints.getModel, ({ request }) => {
    const wildcard = (request.params as { readonly '*': string })['*']
    const { id } = parseBySchema(endpoints.getModel.request.path, { id: wildcard })
    const model = deps.catalog.find(id)
    if (model !== null) return speaksAnthropic(request) ? renderAnthropicModel(id, model) : renderModel(model)
    throw unknownModel(deps.catalog, { id, param: 'id', type: null, allowed: null })
  })
}
