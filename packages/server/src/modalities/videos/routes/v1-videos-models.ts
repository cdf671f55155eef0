import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { renderVideoModels } from '../render-video.ts'
import type { ModelRoutesDeps } from '../../../edge/routes-deps.ts'
import { mountPublic } from '../../../edge/route.ts'

/** GET /v1/videos/models. Source: spec 2.12, 4. */
export function v1VideosModels(app: FastifyInstance, deps: ModelRoutesDeps): void {
  mountPublic(app, deps, endpoints.listVideoModels, () =>
    renderVideoModels(
      deps.catalog.list().flatMap((model) => (model.media?.type === 'video' ? [{ model, offer: model.media }] : [])),
    ),
  )
}
