import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { VideoRoutesDeps } from '../video-routes-deps.ts'
import { answerSubmission } from '../submit-video-route.ts'

/** POST /v1/videos/generations. Source: spec 2.4, 2.5, 4. */
export function v1VideosGenerations(app: FastifyInstance, deps: VideoRoutesDeps): void {
  const endpoint = endpoints.createVideo
  app.post(endpoint.path, (request, reply) => answerSubmission(deps, { request, reply }, endpoint))
}
