import type { Endpoint, Printed, VideoReply } from '@svc/contract'
import { renderVideo } from '../videos/render-video.ts'
import { submitVideo } from '../videos/submit-video.ts'
import type { EdgeDeps } from './edge.ts'
import { readVideoRequest } from './read-video-request.ts'
import { tellPollTime } from './tell-poll-time.ts'
import { admitCaller, type RouteCall } from './route.ts'

/** Submits a video, whatever address it came to. The key is checked before the body is read. */
export async function answerSubmission(
  deps: EdgeDeps,
  call: RouteCall,
  endpoint: Endpoint,
): Promise<Printed<VideoReply>> {
  const caller = await admitCaller(deps, call, endpoint, 'cached')
  deps.limits.videoSubmissions.take(caller.keyId)
  const { request, file, isForm, release } = await readVideoRequest(deps, call, caller)
  try {
    call.request.facts.model = request.model
    const job = await submitVideo(deps.videos, { caller, request, file, requestId: call.request.id })
    tellPollTime(call, job)
    // Clients made for the one address expect one status, those made for the other the other.
    if (endpoint.reply.accepted === true && !isForm) call.reply.code(202)
    return renderVideo({ publicBaseUrl: deps.publicBaseUrl, signer: deps.media.signer }, job)
  } finally {
    release()
  }
}
