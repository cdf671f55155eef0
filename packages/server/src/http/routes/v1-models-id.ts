import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { renderModel } from '../../catalog/render-model.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { EdgeDeps } from '../edge.ts'
import { mountPublic, parsePart } from '../route.ts'

/** GET /v1/models/{id}. Slashes of the id come raw or as `%2F`. Source: spec 4. */
export function v1ModelsId(app: FastifyInstance, deps: EdgeDeps): void {
  mountPublic(app, deps, endpoints.getModel, ({ request }) => {
    const wildcard = (request.params as { readonly '*': string })['*']
    const { id } = parsePart(endpoints.getModel.request.path, { id: wildcard })
    const model = deps.catalog.find(id)
    if (model !== null) return renderModel(model)
    const message = `The model \`${id.slice(0, 128)}\` does not exist or you do not have access to it.`
    throw new ServiceError('model_not_found', message, { param: 'id' })
  })
}
