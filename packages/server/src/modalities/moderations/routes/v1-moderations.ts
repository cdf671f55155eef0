import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseModeration } from '../parse-moderation.ts'
import { moderateInputs } from '../moderate-inputs.ts'
import { answerPaidJson } from '../../../edge/answer-paid-json.ts'
import type { RouteKit } from '../../../edge/route-kit.ts'
import type { PaidDeps } from '../../../pipeline/paid-work.ts'

interface ModerationRoutesDeps extends RouteKit {
  /** What is charged by its tokens is given what a chat is given. */
  readonly chat: PaidDeps
}

/** POST /v1/moderations. Source: decision 0126 (moderations). */
export function v1Moderations(app: FastifyInstance, deps: ModerationRoutesDeps): void {
  const endpoint = endpoints.createModeration
  app.post(endpoint.path, (request, reply) =>
    answerPaidJson(
      deps,
      { request, reply },
      {
        ...{ endpoint, type: 'moderation', parse: parseModeration },
        modelOf: (call) => call.model,
        answer: (task) => moderateInputs(deps.chat, task),
      },
    ),
  )
}
