import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../../platform/errors/parse-by-schema.ts'
import { listVideos } from '../read-video.ts'
import { renderVideoList } from '../render-video.ts'
import type { VideoRoutesDeps } from '../video-routes-deps.ts'
import { mountKeyed } from '../../../edge/route.ts'
import { answerSubmission } from '../submit-video-route.ts'
import { notingCharges } from '../../../edge/set-charge-headers.ts'

/** POST and GET /v1/videos. */
export function v1Videos(app: FastifyInstance, deps: VideoRoutesDeps): void {
  const submit = endpoints.submitVideo
  app.post(submit.path, (request, reply) => answerSubmission(deps, { request, reply }, submit))
  mountKeyed(app, deps, endpoints.listVideos, async (call, caller) => {
    const { request, reply } = call
    const { after, limit, order } = parseBySchema(endpoints.listVideos.request.query, request.query)
    reply.header('cache-control', 'no-store')
    const page = await listVideos(notingCharges(deps.videos, call), caller, { after: after ?? null, limit, order })
    return renderVideoList({ publicBaseUrl: deps.publicBaseUrl(), signer: deps.media.signer }, page)
  })
}
