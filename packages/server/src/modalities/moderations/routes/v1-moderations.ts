import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { moderateInputs } from '../moderate-inputs.ts'
import { parseModeration } from '../parse-moderation.ts'
import { beginIdempotent, storeResponse } from '../../../edge/idempotent-response.ts'
import type { CountingDeps } from '../../../pipeline/paid-work.ts'
import type { RouteKit } from '../../../edge/route-kit.ts'
import { readJsonBody } from '../../../edge/read-json-body.ts'
import { admitCaller } from '../../../edge/route.ts'
import { JSON_TYPE, sendJsonText } from '../../../edge/send-json-text.ts'
import { setChargeHeaders } from '../../../edge/set-charge-headers.ts'

interface ModerationRoutesDeps extends RouteKit {
  /** What is charged by its tokens is given what a chat is given. */
  readonly chat: CountingDeps
}

/** POST /v1/moderations. The key is checked before the body is read. Source: decision 0126 (moderations). */
export function v1Moderations(app: FastifyInstance, deps: ModerationRoutesDeps): void {
  const endpoint = endpoints.createModeration
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    const admitted = await admitCaller(deps, call, endpoint, 'cached')
    const { caller, body, release } = await readJsonBody(deps, call, {
      ...{ caller: admitted, endpoint },
      type: 'moderation',
      bytesMax: deps.limits.chatBodyBytes,
    })
    try {
      const moderation = parseModeration(body)
      request.facts.model = moderation.model
      const once = await beginIdempotent(deps, call, { caller, endpoint, body })
      if (once.kind === 'replay') return once.body
      const json = await storeResponse(deps, once.run, async () => {
        const done = await moderateInputs(deps.chat, { caller, call: moderation, requestId: request.id })
        return { contentType: JSON_TYPE, headers: setChargeHeaders(call, done.charged), body: done.body }
      })
      return sendJsonText(call, json)
    } finally {
      release()
    }
  })
}
