import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { renderImageModel } from '../../../catalog/render-image-model.ts'
import type { ModelRoutesDeps } from '../../../edge/routes-deps.ts'
import { mountPublic } from '../../../edge/route.ts'

/** GET /v1/images/models. Source: spec 2.12, 4. */
export function v1ImagesModels(app: FastifyInstance, deps: ModelRoutesDeps): void {
  mountPublic(app, deps, endpoints.listImageModels, () => ({
    object: 'list',
    data: deps.catalog.list().flatMap((model) => renderImageModel(model) ?? []),
  }))
}
