import { endpoints, type Printed, type VideoDeletedReply } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../../platform/errors/parse-by-schema.ts'
import { deleteVideo } from '../delete-video.ts'
import { readVideo } from '../read-video.ts'
import { renderVideo } from '../render-video.ts'
import type { VideoRoutesDeps } from '../video-routes-deps.ts'
import { mountKeyed } from '../../../edge/route.ts'
import { notingCharges } from '../../../edge/set-charge-headers.ts'
import { setPollHeader } from '../set-poll-header.ts'

/** GET and DELETE /v1/videos/{jobId}. Source: spec 3, 4. */
export function v1VideosJobId(app: FastifyInstance, deps: VideoRoutesDeps): void {
  mountKeyed(app, deps, endpoints.getVideo, async (call, caller) => {
    const { jobId } = parseBySchema(endpoints.getVideo.request.path, call.request.params)
    const job = await readVideo(notingCharges(deps.videos, call), caller, jobId)
    setPollHeader(call, job)
    return renderVideo({ publicBaseUrl: deps.publicBaseUrl(), signer: deps.media.signer }, job)
  })
  mountKeyed(app, deps, endpoints.deleteVideo, async (call, caller): Promise<Printed<VideoDeletedReply>> => {
    const { jobId } = parseBySchema(endpoints.deleteVideo.request.path, call.request.params)
    await deleteVideo(notingCharges(deps.videos, call), caller, jobId)
    return { id: jobId, object: 'video.deleted', deleted: true }
  })
}
