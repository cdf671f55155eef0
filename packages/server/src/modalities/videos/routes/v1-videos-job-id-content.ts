import { endpoints } from '@svc/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { parseBySchema } from '../../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../../platform/errors/service-error.ts'
import { contentPath } from '../render-video.ts'
import { openVideo, type UnsizedVideo, type VideoReader } from '../open-video.ts'
import { callerAddress } from '../../../edge/caller-address.ts'
import type { VideoRoutesDeps } from '../video-routes-deps.ts'
import { admitCaller, type RouteCall, routePattern } from '../../../edge/route.ts'
import { sendMedia } from '../../../edge/send-media.ts'
import { READER_STALL_MS } from '../../../edge/sse-writer.ts'

const endpoint = endpoints.getVideoContent

/** A signature is enough where there is one; a key is asked for where there is none. */
async function admitReader(
  deps: VideoRoutesDeps,
  call: RouteCall,
  file: { jobId: string; index: number },
): Promise<VideoReader> {
  const query: Readonly<Record<string, unknown>> = Object(call.request.query)
  if (query['signature'] === undefined) return admitCaller(deps, call, endpoint, 'fresh')
  const worth = deps.media.signer.verify(contentPath(file.jobId, file.index), query)
  if (worth === 'valid') return 'signed'
  deps.limits.failedAuth.take(callerAddress(call.request.ip))
  if (worth === 'expired') throw new ServiceError('content_expired', 'This URL has expired.')
  throw new ServiceError('invalid_signature', 'This address is not one that the gateway has made.')
}

/** Passes on a file of unknown length: whole, and without a length. */
async function sendUnsized({ request, reply }: RouteCall, video: UnsizedVideo): Promise<FastifyReply> {
  reply.headers({ 'content-type': video.contentType, 'cache-control': 'no-store', 'accept-ranges': 'none' })
  if (request.method === 'HEAD') return reply.send()
  const stream = await video.open()
  if (stream === null) throw new ServiceError('content_expired', 'The file of this video is no longer kept.')
  reply.raw.setTimeout(READER_STALL_MS, () => reply.raw.destroy())
  return reply.send(stream)
}

/** GET and HEAD /v1/videos/{jobId}/content. Source: spec 4. */
export function v1VideosJobIdContent(app: FastifyInstance, deps: VideoRoutesDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: routePattern(endpoint),
    handler: async (request, reply) => {
      const call = { request, reply }
      const { jobId } = parseBySchema(endpoint.request.path, request.params)
      const { index } = parseBySchema(endpoint.request.query, request.query)
      const reader = await admitReader(deps, call, { jobId, index })
      const video = await openVideo(deps.videos, reader, { jobId, index })
      if (video.kind === 'unsized') return sendUnsized(call, video)
      const { contentType, bytes, expiresAt, open } = video
      const extension = contentType === 'video/webm' ? 'webm' : 'mp4'
      return sendMedia(call, {
        ...{ version: `${jobId}.${index}`, fileName: `${jobId}-${index}.${extension}`, contentType, bytes, open },
        maxAgeSeconds: (expiresAt - deps.clock.now()) / 1_000,
      })
    },
  })
}
