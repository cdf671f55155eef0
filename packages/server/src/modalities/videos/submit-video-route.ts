import type { Endpoint } from '@svc/contract'
import { renderVideo } from './render-video.ts'
import { submitVideo } from './submit-video.ts'
import { beginIdempotent, storeResponse } from '../../edge/idempotent-response.ts'
import { paidTask } from '../../edge/paid-task.ts'
import type { VideoRoutesDeps } from './video-routes-deps.ts'
import { readVideoRequest } from './read-video-request.ts'
import { setPollHeader } from './set-poll-header.ts'
import { admitCaller, type RouteCall } from '../../edge/route.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Submits a video, whatever address it came to. The key is checked before the body is read. */
export async function answerSubmission(
  deps: VideoRoutesDeps,
  call: RouteCall,
  endpoint: Endpoint,
): Promise<string | Buffer> {
  const admitted = await admitCaller(deps, call, endpoint, 'cached')
  await deps.limits.videoSubmissions.take(admitted.keyId)
  const read = await readVideoRequest(deps, call, { caller: admitted, endpoint, type: 'video' })
  const { caller, request, file, isForm, body, release } = read
  try {
    call.request.facts.model = request.model
    const once = await beginIdempotent(deps, call, { caller, endpoint, body })
    // Clients made for the one address expect one status, those made for the other the other.
    if (endpoint.reply.accepted === true && !isForm) call.reply.code(202)
    if (once.kind === 'replay') return once.body
    call.reply.header('content-type', JSON_TYPE)
    return await storeResponse(deps, once.run, async () => {
      const job = await submitVideo(deps.videos, paidTask(deps, call, caller, { request, file }))
      const reply = renderVideo({ publicBaseUrl: deps.publicBaseUrl(), signer: deps.media.signer }, job)
      return { contentType: JSON_TYPE, headers: setPollHeader(call, job), body: JSON.stringify(reply) }
    })
  } finally {
    release()
  }
}
